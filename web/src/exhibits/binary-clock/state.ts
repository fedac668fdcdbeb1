// What the reader can set about the two clocks, and how it is written into the address.
import type { Codec } from "../../lib/codec";
import { oneOf } from "../../lib/entries";

export const ROWS = 16;
export const BITS = 4;
export const BASES = ["10000", "16"] as const;

export interface ClockState {
  readonly base: (typeof BASES)[number];
}

const initial: ClockState = { base: "10000" };

export const codec: Codec<ClockState> = {
  initial,
  write: ({ base }) => ({ base: base === initial.base ? null : base }),
  read: (entry) => ({ base: oneOf(entry("base"), BASES, initial.base) }),
};
