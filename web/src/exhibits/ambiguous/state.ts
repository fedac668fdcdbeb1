// Which of the counted words is looked at.
import brown from "../../../data/brown.json";
import type { Codec } from "../../lib/codec";
import { oneOf } from "../../lib/entries";

export const WORDS: readonly string[] = brown.words.map(({ word }) => word);

export interface AmbiguousState {
  readonly word: string;
}

const initial: AmbiguousState = { word: "saw" };

export const codec: Codec<AmbiguousState> = {
  initial,
  write: ({ word }) => ({ word: word === initial.word ? null : word }),
  read: (entry) => ({ word: oneOf(entry("word"), WORDS, initial.word) }),
};
