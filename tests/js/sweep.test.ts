// Lengths and widths around the sizes of registers and tiles, against float64.
import { describe, it } from "vitest";
import { expectClose } from "./support/compare.js";
import { qkv } from "./support/qkv.js";
import type { Data } from "./support/random.js";
import { referenceAttention } from "./support/reference.js";

const SIZES = [
  0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1025,
];

/** Multiples of 1/8 between -1 and 1, without a pattern that tiles could follow. */
function fixed(rows: number, columns: number, salt: number): Data {
  let state = (rows * 1025 + columns) * 16 + salt;
  const data = Float32Array.from({ length: rows * columns }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return ((state >>> 16) % 17) / 8 - 1;
  });
  return { data, shape: [rows, columns] };
}

function compare(queries: number, keys: number, width: number, valueWidth: number): void {
  const query = fixed(queries, width, 1);
  const key = fixed(keys, width, 2);
  const value = fixed(keys, valueWidth, 3);
  const want = referenceAttention(query, key, value);
  const tolerance = { relative: 2e-6, absolute: 2e-6 };
  const what = `${queries} queries, ${keys} keys, width ${width}, value width ${valueWidth}`;
  expectClose(qkv.attention(query, key, value).output, want, tolerance, what);
}

describe("attention agrees with float64 for every", () => {
  it.each(SIZES)("width, with %i keys", (keys) => {
    for (const width of SIZES) {
      for (const queries of [1, 2, 9, 66]) compare(queries, keys, width, 3);
    }
  });

  it.each(SIZES)("width of values, with %i keys", (keys) => {
    for (const valueWidth of SIZES) {
      for (const queries of [1, 10]) compare(queries, keys, 5, valueWidth);
    }
  });

  it.each(SIZES)("number of queries, with %i keys", (keys) => {
    for (const queries of SIZES) compare(queries, keys, 7, 5);
  });
});
