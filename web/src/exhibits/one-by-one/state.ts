// What the reader can set about the two ways, and how it is written into the address.
import { numbers } from "../../lib/entries";

export const LIMITS = {
  n: { least: 1, most: 64 },
  seed: { least: 1, most: 9999 },
} as const;

export interface WaysState {
  readonly n: number;
  readonly seed: number;
}

const initial: WaysState = { n: 24, seed: 1 };

export const codec = numbers(initial, LIMITS);
