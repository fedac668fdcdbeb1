/** The colours that tell tensors apart, everywhere alike; see styles/tokens.css. */
export type Tone = "input" | "query" | "key" | "value" | "score" | "weight" | "output" | "position";
