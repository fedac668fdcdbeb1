// What the reader can set about the trained blocks, and how it is written into the address.
import { numbers } from "../../lib/entries";

export const LIMITS = {
  block: { least: 1, most: 2 },
  head: { least: 1, most: 8 },
  strip: { least: 1, most: 60 },
} as const;

export interface TextLineState {
  readonly block: number;
  readonly head: number;
  /** The strip of the picture that asks. */
  readonly strip: number;
}

const initial: TextLineState = { block: 2, head: 4, strip: 31 };

export const codec = numbers(initial, LIMITS);
