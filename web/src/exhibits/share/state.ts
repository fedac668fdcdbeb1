// What the reader can set about a block's share, and how it is written into the address.
import { numbers } from "../../lib/entries";

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

export const codec = numbers(initial, LIMITS);
