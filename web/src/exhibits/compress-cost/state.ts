// What the reader can set about the cost of fewer keys, and how it is written into the address.
import { numbers } from "../../lib/entries";

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

export const codec = numbers(initial, LIMITS);
