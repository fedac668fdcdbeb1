// The faces of the course, cut down to the signs and weights it uses: 60 kB instead of 450. What is
// left out comes from the reader's system, as all Chinese does.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import subsetFont from "subset-font";
import { operators, renderFormulas } from "./mathml.ts";

const require = createRequire(import.meta.url);

const range = (first: number, last: number) =>
  String.fromCodePoint(...Array.from({ length: last - first + 1 }, (_, i) => first + i));

// No letters with accents: no sentence of ours has one, and they are a quarter of a face.
const LATIN = `${range(0x20, 0x7e)}${range(0xa0, 0xbf)}×÷–—‘’“”…−←↑→↓`;
const GREEK = range(0x3b1, 0x3c9);

interface Face {
  readonly name: string;
  readonly source: string;
  readonly signs: () => string;
  readonly weights?: number | { readonly min: number; readonly max: number };
}

const FACES: readonly Face[] = [
  {
    name: "sans",
    source: "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2",
    signs: () => LATIN,
    weights: { min: 400, max: 650 },
  },
  {
    name: "serif",
    source: "@fontsource-variable/source-serif-4/files/source-serif-4-latin-wght-normal.woff2",
    signs: () => LATIN,
    weights: { min: 400, max: 600 },
  },
  {
    name: "serif-italic",
    source: "@fontsource-variable/source-serif-4/files/source-serif-4-latin-wght-italic.woff2",
    signs: () => LATIN,
    weights: 400,
  },
  {
    name: "greek-italic",
    source: "@fontsource-variable/source-serif-4/files/source-serif-4-greek-wght-italic.woff2",
    signs: () => GREEK,
    weights: 400,
  },
  {
    // Few systems have a font for mathematics, without which no browser draws a root or a tall bracket.
    name: "math",
    source: "@fontsource/noto-sans-math/files/noto-sans-math-latin-400-normal.woff2",
    signs: () => operators(renderFormulas()),
  },
];

export async function writeFonts(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const { name, source, signs, weights } of FACES) {
    const font = await subsetFont(readFileSync(require.resolve(source)), signs(), {
      targetFormat: "woff2",
      ...(weights === undefined ? {} : { variationAxes: { wght: weights } }),
    });
    writeFileSync(join(folder, `${name}.woff2`), font);
  }
}
