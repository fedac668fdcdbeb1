// What the reader can set about the comparison, and how it is written into the address.
import { numbers } from "../../lib/entries";

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

export const codec = numbers(initial, LIMITS);
