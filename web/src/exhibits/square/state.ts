// What the reader can set about the square, and how it is written into the address.
import type { Codec } from "../../lib/codec";
import { number, writeNumber } from "../../lib/entries";

// 65,536 tokens are the pixels of a picture of 256 × 256. A power of two each.
export const POWER = { least: 4, most: 16 } as const;

export interface SquareState {
  /** The number of tokens, as a power of two. */
  readonly power: number;
}

const initial: SquareState = { power: 12 };

export const codec: Codec<SquareState> = {
  initial,
  write: ({ power }) => ({ power: writeNumber(power, initial.power) }),
  read: (entry) => ({ power: number(entry("power"), POWER, initial.power) }),
};
