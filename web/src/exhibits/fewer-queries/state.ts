// What the reader can set about fewer queries, and how it is written into the address.
import { BadEntry, type Codec } from "../../lib/codec";
import { number, oneOf, writeNumber } from "../../lib/entries";
import { fitsWords, MOST_WORDS } from "../../lib/words";

export const FEATURES = 8;
export const FEW = { least: 1, most: MOST_WORDS } as const;
/** Which side is made shorter. */
export const SIDES = ["queries", "keys"] as const;
export type Side = (typeof SIDES)[number];

export interface QueriesState {
  readonly words: string;
  readonly side: Side;
  /** To how many rows; never more than there are words. */
  readonly few: number;
}

const initial: QueriesState = { words: "I saw a saw", side: "queries", few: 2 };

export const codec: Codec<QueriesState> = {
  initial,
  write: ({ words, side, few }) => ({
    words: words === initial.words ? null : words,
    side: side === initial.side ? null : side,
    few: writeNumber(few, initial.few),
  }),
  read(entry) {
    const words = entry("words") ?? initial.words;
    if (!fitsWords(words)) throw new BadEntry();
    return {
      words,
      side: oneOf(entry("side"), SIDES, initial.side),
      few: number(entry("few"), FEW, initial.few),
    };
  },
};
