// What the reader can set about a block's share, and how it is written into the address.
import type { Codec } from "../../lib/codec";
import { number, writeNumber } from "../../lib/entries";

export const LIMITS = {
  d: { least: 64, most: 1024, step: 64 },
  ratio: { least: 1, most: 8 },
  n: { least: 64, most: 32768, step: 64 },
} as const;

export interface ShareState {
  /** Features of a token. */
  readonly d: number;
  /** How many times as wide the feed-forward layer is inside. */
  readonly ratio: number;
  readonly n: number;
}

const initial: ShareState = { d: 512, ratio: 4, n: 1024 };

export const codec: Codec<ShareState> = {
  initial,
  write: ({ d, ratio, n }) => ({
    d: writeNumber(d, initial.d),
    ratio: writeNumber(ratio, initial.ratio),
    n: writeNumber(n, initial.n),
  }),
  read: (entry) => ({
    d: number(entry("d"), LIMITS.d, initial.d),
    ratio: number(entry("ratio"), LIMITS.ratio, initial.ratio),
    n: number(entry("n"), LIMITS.n, initial.n),
  }),
};

