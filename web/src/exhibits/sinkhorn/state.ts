// What the reader can set about the normalisation, and how it is written into the address.
import type { Codec } from "../../lib/codec";
import { number, oneOf, readMatrix, writeMatrix, writeNumber } from "../../lib/entries";
import { fromRows, sameNumbers, type Matrix } from "../../lib/matrix";

export const SIZES = ["4", "2"] as const;
export type Size = (typeof SIZES)[number];

export const LIMITS = {
  tau: { least: 0.05, most: 2, step: 0.05 },
  rounds: { least: 1, most: 40 },
} as const;
export type Setting = keyof typeof LIMITS;

export interface SinkhornState {
  readonly size: Size;
  /** Row i, column j: how much block i wants block j. One matrix for each size. */
  readonly scores: Readonly<Record<Size, Matrix>>;
  readonly tau: number;
  readonly rounds: number;
}

// In the larger one, rows 1 and 3 both want column 2 most.
const GIVEN: SinkhornState["scores"] = {
  4: fromRows([
    [1, 4, 2, 1],
    [3, 1, 1, 2],
    [2, 3, 1, 1],
    [1, 2, 2, 3],
  ]),
  2: fromRows([
    [1, 2],
    [1, 1],
  ]),
};

const initial: SinkhornState = { size: "4", scores: GIVEN, tau: 1, rounds: 1 };

const ENTRIES: Record<Size, string> = { 4: "wants", 2: "wants2" };

export const codec: Codec<SinkhornState> = {
  initial,
  write({ size, scores, tau, rounds }) {
    const entries: Record<string, string | null> = {
      blocks: size === initial.size ? null : size,
      tau: writeNumber(tau, initial.tau),
      t: writeNumber(rounds, initial.rounds),
    };
    for (const one of SIZES) {
      const same = sameNumbers(scores[one], GIVEN[one]);
      entries[ENTRIES[one]] = same ? null : writeMatrix(scores[one]);
    }
    return entries;
  },
  read(entry) {
    const scores = (size: Size) => {
      const text = entry(ENTRIES[size]);
      return text === null ? GIVEN[size] : readMatrix(text, GIVEN[size]);
    };
    return {
      size: oneOf(entry("blocks"), SIZES, initial.size),
      scores: { 4: scores("4"), 2: scores("2") },
      tau: number(entry("tau"), LIMITS.tau, initial.tau),
      rounds: number(entry("t"), LIMITS.rounds, initial.rounds),
    };
  },
};
