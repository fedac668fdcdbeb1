// What the reader can set about the trained blocks, and how it is written into the address.
import type { Codec } from "../../lib/codec";
import { number, writeNumber } from "../../lib/entries";

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

export const codec: Codec<TextLineState> = {
  initial,
  write: ({ block, head, strip }) => ({
    block: writeNumber(block, initial.block),
    head: writeNumber(head, initial.head),
    strip: writeNumber(strip, initial.strip),
  }),
  read: (entry) => ({
    block: number(entry("block"), LIMITS.block, initial.block),
    head: number(entry("head"), LIMITS.head, initial.head),
    strip: number(entry("strip"), LIMITS.strip, initial.strip),
  }),
};
