// What the reader can set: the sentence, which vectors its words have, and the window.
import { BadEntry, type Codec } from "../../lib/codec";
import { number, oneOf, writeNumber } from "../../lib/entries";
import { fitsWords } from "../../lib/words";

export const WINDOW = { least: 0, most: 3, step: 1 } as const;

/** Drawn at random, or learnt from text. */
export const SOURCES = ["seeded", "glove"] as const;
export type Source = (typeof SOURCES)[number];

export interface SameWordState {
  readonly words: string;
  readonly source: Source;
  readonly window: number;
}

const initial: SameWordState = { words: "I saw a saw", source: "seeded", window: 1 };

export const codec: Codec<SameWordState> = {
  initial,
  write: (state) => ({
    words: state.words === initial.words ? null : state.words,
    vectors: state.source === initial.source ? null : state.source,
    window: writeNumber(state.window, initial.window),
  }),
  read(entry) {
    const words = entry("words") ?? initial.words;
    if (!fitsWords(words)) throw new BadEntry();
    return {
      words,
      source: oneOf(entry("vectors"), SOURCES, initial.source),
      window: number(entry("window"), WINDOW, initial.window),
    };
  },
};
