// What the reader can set: how the sentence ends, which of its words asks, and how likeness is
// measured.
import type { Codec } from "../../lib/codec";
import { number, oneOf, writeNumber } from "../../lib/entries";

export const ENDINGS = ["tired", "wide"] as const;
export const ASKING = ["it", "last"] as const;
export const LIKENESSES = ["cosine", "scaledDot"] as const;
export const SHARPNESS = { least: 1, most: 20, step: 1 } as const;

export interface PronounState {
  readonly ending: (typeof ENDINGS)[number];
  readonly asking: (typeof ASKING)[number];
  readonly likeness: (typeof LIKENESSES)[number];
  /** What cosines are multiplied by: they are at most 1, too little for softmax. */
  readonly sharpness: number;
}

const initial: PronounState = { ending: "tired", asking: "it", likeness: "cosine", sharpness: 5 };

export const codec: Codec<PronounState> = {
  initial,
  write: ({ ending, asking, likeness, sharpness }) => ({
    ending: ending === initial.ending ? null : ending,
    asks: asking === initial.asking ? null : asking,
    likeness: likeness === initial.likeness ? null : likeness,
    sharpness: writeNumber(sharpness, initial.sharpness),
  }),
  read: (entry) => ({
    ending: oneOf(entry("ending"), ENDINGS, initial.ending),
    asking: oneOf(entry("asks"), ASKING, initial.asking),
    likeness: oneOf(entry("likeness"), LIKENESSES, initial.likeness),
    sharpness: number(entry("sharpness"), SHARPNESS, initial.sharpness),
  }),
};
