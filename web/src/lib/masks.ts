// Masks as the chapters use them: the patterns that people know, put together, counted and drawn.
// All of them are the core's; nothing here says which pair is allowed.
import { mask, type Mask } from "qkv";
import type { Calculator } from "./calculator";
import type { Limits } from "./entries";
import { at, matrix, type Matrix } from "./matrix";

export const PATTERNS = ["local", "stride", "global", "random"] as const;
export type Pattern = (typeof PATTERNS)[number];

/** What the one number of each pattern may be. */
export const SIZES = {
  local: { least: 0, most: 7 },
  stride: { least: 2, most: 8 },
  global: { least: 1, most: 4 },
  random: { least: 1, most: 4 },
} as const satisfies Record<Pattern, Limits>;

export const MOST_SEED = 99;

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);

/** `size`: keys to either side, the distance of the two that are seen, tokens, or keys drawn. */
export function patternOf(pattern: Pattern, size: number, seed = 0): Mask {
  switch (pattern) {
    case "local":
      return mask.window({ left: size, right: size });
    case "stride":
      return mask.dilated({ radius: 1, dilation: size });
    case "global":
      return mask.global({ tokens: upTo(size) });
    case "random":
      return mask.random({ count: size, seed });
  }
}

/** Every pair. */
export const everything = mask.window({});
export const nothing = mask.not(everything);

export const anyOf = (masks: readonly Mask[]): Mask =>
  masks.length > 0 ? mask.or(...masks) : nothing;

/** Pairs of the first that are not in the second. */
export const without = (a: Mask, b: Mask): Mask => mask.and(a, mask.not(b));

/** The pairs of a list of cells, for so many tokens. */
export function cellsOf(cells: readonly (readonly [row: number, column: number])[], n: number) {
  const columns: number[] = [];
  const rowOffsets = [0];
  for (let row = 0; row < n; row += 1) {
    for (const [of, column] of cells) if (of === row) columns.push(column);
    rowOffsets.push(columns.length);
  }
  return mask.edges({ rowOffsets, columns });
}

/** The pairs where a matrix has a 1. */
export function edgesOf(joined: Matrix): Mask {
  const cells: [number, number][] = [];
  for (let row = 0; row < joined.rows; row += 1) {
    for (let column = 0; column < joined.columns; column += 1) {
      if (at(joined, row, column) === 1) cells.push([row, column]);
    }
  }
  return cellsOf(cells, joined.rows);
}

/** The core's own picture of a mask for n tokens: 1 where a query may see a key. */
export function pictureOf(calculator: Calculator, of: Mask, n: number): Matrix {
  const { data } = calculator.use((core) =>
    core.maskMatrix(of, { queryLength: n, keyLength: n }),
  );
  return matrix(n, n, data);
}

export interface Counted {
  readonly pairs: number;
  /** Of all pairs. */
  readonly share: number;
  /** Tiles of 64 × 64 pairs that the kernel has to visit. */
  readonly tiles: number;
}

/** What the core counts in a mask for n tokens; with heads, over all of them. */
export function countOf(calculator: Calculator, of: Mask, n: number, heads?: number): Counted {
  const { pairs, density, blocks } = calculator.use((core) =>
    core.maskStats(of, { queryLength: n, keyLength: n, heads }),
  );
  return { pairs, share: density, tiles: blocks };
}

/**
 * For a picture: in every cell the number of the first of these that has a 1 there, from 1 on, and
 * 0 where none has.
 */
export function firstOf(pictures: readonly Matrix[], n: number): Matrix {
  const data = new Float32Array(n * n);
  pictures.forEach(({ data: cells }, index) => {
    cells.forEach((cell, i) => {
      if (cell === 1 && data[i] === 0) data[i] = index + 1;
    });
  });
  return matrix(n, n, data);
}
