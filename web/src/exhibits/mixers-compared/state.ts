// What the reader can set about the comparison, and how it is written into the address.
import { numbers } from "../../lib/entries";

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

export const codec = numbers(initial, LIMITS);
