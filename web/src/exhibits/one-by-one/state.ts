// What the reader can set about the two ways, and how it is written into the address.
import type { Codec } from "../../lib/codec";
import { number, writeNumber } from "../../lib/entries";

export const LIMITS = {
  n: { least: 1, most: 64 },
  seed: { least: 1, most: 9999 },
} as const;

export interface WaysState {
  readonly n: number;
  readonly seed: number;
}

const initial: WaysState = { n: 24, seed: 1 };

export const codec: Codec<WaysState> = {
  initial,
  write: ({ n, seed }) => ({
    n: writeNumber(n, initial.n),
    seed: writeNumber(seed, initial.seed),
  }),
  read: (entry) => ({
    n: number(entry("n"), LIMITS.n, initial.n),
    seed: number(entry("seed"), LIMITS.seed, initial.seed),
  }),
};
