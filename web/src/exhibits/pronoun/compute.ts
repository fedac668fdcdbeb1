// Attention over the words of a sentence by plain likeness: queries, keys and values are the word
// vectors themselves, and no matrix has been trained.
import tokens from "../../../data/tokens.json";
import type { Calculator } from "../../lib/calculator";
import type { NamedTensor } from "../../lib/csv";
import { at, fromRows, rowOf, type Matrix } from "../../lib/matrix";
import type { WordVectors } from "../../lib/word-vectors";
import { ENDINGS, type PronounState } from "./state";

export interface Token {
  readonly id: number;
  readonly text: string;
  /** The word whose vector stands for it. */
  readonly word: string;
}

// The two halves of "didn't" as words that have vectors.
const WORDS: Readonly<Record<string, string>> = { didn: "did", "'t": "not" };

export function tokensOf({ ending }: Pick<PronounState, "ending">): readonly Token[] {
  return tokens[ending].map(({ id, text }) => {
    const plain = text.trim().toLowerCase();
    return { id, text, word: WORDS[plain] ?? plain };
  });
}

export const ANIMAL = 1;
export const STREET = 6;
const IT = 8;
const LAST = 11;

export const queryOf = ({ asking }: Pick<PronounState, "asking">): number =>
  asking === "it" ? IT : LAST;

export interface Likened {
  readonly tokens: readonly Token[];
  readonly vectors: Matrix;
  /** Of every word with every word: the cosine, or the dot product divided by √d. */
  readonly likeness: Matrix;
  readonly weights: Matrix;
  /** The weights of the word that asks. */
  readonly asked: Float32Array;
  readonly animal: number;
  readonly street: number;
  /** How much the other ending would change the likenesses of "it" with the two, squared. */
  readonly change: number;
}

function likened(calculator: Calculator, vectors: Matrix, state: PronounState, scale?: number) {
  const score = state.likeness;
  return calculator.attend(vectors, vectors, vectors, scale ? { score, scale } : { score });
}

export function compute(
  calculator: Calculator,
  state: PronounState,
  real: WordVectors,
): Likened {
  const sentence = tokensOf(state);
  const vectors = real.of(sentence.map(({ word }) => word));
  const plain = likened(calculator, vectors, state);
  const { weights } =
    state.likeness === "cosine" ? likened(calculator, vectors, state, state.sharpness) : plain;
  const query = queryOf(state);

  const [here, there] = ENDINGS.map((ending) => {
    const words = tokensOf({ ending }).map(({ word }) => word);
    const { scores } = likened(calculator, real.of(words), state);
    return fromRows([[at(scores, IT, ANIMAL), at(scores, IT, STREET)]]);
  });
  const moved = calculator.difference(here!, there!);
  return {
    tokens: sentence,
    vectors,
    likeness: plain.scores,
    weights,
    asked: rowOf(weights, query),
    animal: at(plain.scores, query, ANIMAL),
    street: at(plain.scores, query, STREET),
    change: calculator.dots(moved, moved).data[0]!,
  };
}

export const tensors = ({ vectors, likeness, weights }: Likened): NamedTensor[] =>
  Object.entries({ X: vectors, S: likeness, A: weights }).map(([name, m]) => ({
    name,
    shape: [m.rows, m.columns],
    data: m.data,
  }));
