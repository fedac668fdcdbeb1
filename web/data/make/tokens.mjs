// web/data/tokens.json: how GPT-2 cuts the sentences of the figures into tokens. Only these tokens
// are kept, not the tokenizer.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { npm, write } from "./packages.mjs";

const SENTENCE = "The animal didn't cross the street because it was too";

await write("tokens.json", async (folder) => {
  const at = npm(folder, "gpt-tokenizer", "4.0.0");
  const { encode, decode } = await import(pathToFileURL(join(at, "esm/encoding/r50k_base.js")).href);
  return Object.fromEntries(
    ["tired", "wide"].map((end) => [
      end,
      encode(`${SENTENCE} ${end}`).map((id) => ({ id, text: decode([id]) })),
    ]),
  );
});
