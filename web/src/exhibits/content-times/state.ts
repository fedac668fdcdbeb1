// How far the measurement goes, and how it is written into the address.
import type { Codec } from "../../lib/codec";
import { number, writeNumber } from "../../lib/entries";

// Powers of two.
export const UPTO = { least: 9, most: 13 } as const;

export interface TimesState {
  /** The largest number of tokens, as a power of two. */
  readonly upto: number;
}

const initial: TimesState = { upto: 12 };

export const codec: Codec<TimesState> = {
  initial,
  write: ({ upto }) => ({ upto: writeNumber(upto, initial.upto) }),
  read: (entry) => ({ upto: number(entry("upto"), UPTO, initial.upto) }),
};
