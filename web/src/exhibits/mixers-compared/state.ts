// What the reader can set about the comparison, and how it is written into the address.
import type { Codec } from "../../lib/codec";
import { number, writeNumber } from "../../lib/entries";

export const LIMITS = {
  n: { least: 64, most: 4096, step: 64 },
  d: { least: 16, most: 128, step: 16 },
} as const;

export interface SizeState {
  readonly n: number;
  readonly d: number;
}

// 512 tokens are as many as the Synthesizer of the Long Range Arena was made for.
const initial: SizeState = { n: 512, d: 64 };

export const codec: Codec<SizeState> = {
  initial,
  write: ({ n, d }) => ({
    n: writeNumber(n, initial.n),
    d: writeNumber(d, initial.d),
  }),
  read: (entry) => ({
    n: number(entry("n"), LIMITS.n, initial.n),
    d: number(entry("d"), LIMITS.d, initial.d),
  }),
};
