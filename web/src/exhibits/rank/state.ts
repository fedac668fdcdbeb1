// What the reader can set about the rank, and how it is written into the address.
import type { Codec } from "../../lib/codec";
import { number, oneOf, readMatrix, writeMatrix, writeNumber } from "../../lib/entries";
import { fromRows, sameNumbers, type Matrix } from "../../lib/matrix";

export const TOKENS = 6;
export const TAKEN = { least: 0, most: TOKENS } as const;
export const OF = ["scores", "weights"] as const;
export type Of = (typeof OF)[number];

export interface RankState {
  /** Tokens of two features, each its own query and key. */
  readonly x: Matrix;
  readonly of: Of;
  /** How many columns have been taken away. */
  readonly taken: number;
}

// The numbers that are divided by on the way are 4 and 1, so that no digit is lost.
const initial: RankState = {
  x: fromRows([
    [2, 0],
    [0, 1],
    [1, 1],
    [1, -1],
    [0, -1],
    [1, 0],
  ]),
  of: "scores",
  taken: 1,
};

export const codec: Codec<RankState> = {
  initial,
  write: ({ x, of, taken }) => ({
    ranked: sameNumbers(x, initial.x) ? null : writeMatrix(x),
    of: of === initial.of ? null : of,
    taken: writeNumber(taken, initial.taken),
  }),
  read(entry) {
    const x = entry("ranked");
    return {
      x: x === null ? initial.x : readMatrix(x, initial.x),
      of: oneOf(entry("of"), OF, initial.of),
      taken: number(entry("taken"), TAKEN, initial.taken),
    };
  },
};
