// What the reader can set about the cost of fewer keys, and how it is written into the address.
import type { Codec } from "../../lib/codec";
import { number, writeNumber } from "../../lib/entries";

export const LIMITS = {
  n: { least: 64, most: 16384, step: 64 },
  d: { least: 16, most: 128, step: 16 },
  k: { least: 1, most: 256 },
  s: { least: 1, most: 64 },
} as const;

export interface CostState {
  /** Tokens. */
  readonly n: number;
  readonly d: number;
  /** Keys that the matrix makes. */
  readonly k: number;
  /** Stride of the convolution, and how many tokens a window has. */
  readonly s: number;
}

// 16 keys as in the Long Range Arena, a stride of 3 as in the paper on memory-compressed attention.
const initial: CostState = { n: 4096, d: 64, k: 16, s: 3 };

export const codec: Codec<CostState> = {
  initial,
  write: ({ n, d, k, s }) => ({
    n: writeNumber(n, initial.n),
    d: writeNumber(d, initial.d),
    k: writeNumber(k, initial.k),
    s: writeNumber(s, initial.s),
  }),
  read: (entry) => ({
    n: number(entry("n"), LIMITS.n, initial.n),
    d: number(entry("d"), LIMITS.d, initial.d),
    k: number(entry("k"), LIMITS.k, initial.k),
    s: number(entry("s"), LIMITS.s, initial.s),
  }),
};
