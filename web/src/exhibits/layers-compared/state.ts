// What the reader can set about the comparison, and how it is written into the address.
import type { Codec } from "../../lib/codec";
import { number, writeNumber } from "../../lib/entries";

export const LIMITS = {
  n: { least: 2, most: 1024 },
  d: { least: 8, most: 128, step: 8 },
  k: { least: 2, most: 9 },
} as const;

export interface SizeState {
  readonly n: number;
  readonly d: number;
  readonly k: number;
}

const initial: SizeState = { n: 60, d: 32, k: 3 };

export const codec: Codec<SizeState> = {
  initial,
  write: ({ n, d, k }) => ({
    n: writeNumber(n, initial.n),
    d: writeNumber(d, initial.d),
    k: writeNumber(k, initial.k),
  }),
  read: (entry) => ({
    n: number(entry("n"), LIMITS.n, initial.n),
    d: number(entry("d"), LIMITS.d, initial.d),
    k: number(entry("k"), LIMITS.k, initial.k),
  }),
};
