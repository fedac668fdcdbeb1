// The same word twice: how far apart its two vectors are, seen in five ways.
import type { Calculator } from "../../lib/calculator";
import { at, filled, matrix, rowOf, selectRows, type Matrix } from "../../lib/matrix";
import type { WordVectors } from "../../lib/word-vectors";
import { embedded, wordsOf } from "../../lib/words";
import type { SameWordState } from "./state";

// Of vectors drawn at random: as many as the table of positions of chapter 6 has.
const FEATURES = 32;

export const WAYS = ["word", "window", "attention", "position", "both"] as const;
export type Way = (typeof WAYS)[number];

export interface SameWord {
  readonly words: readonly string[];
  /** Where the first repeated word stands; null when every word is there once. */
  readonly pair: readonly [number, number] | null;
  readonly vectors: Matrix;
  readonly attended: Matrix;
  /** Squared distances of the two vectors. */
  readonly distances: Readonly<Record<Way, number>> | null;
}

function repeated(words: readonly string[]): readonly [number, number] | null {
  const plain = words.map((word) => word.toLowerCase());
  const first = plain.findIndex((word, index) => plain.indexOf(word, index + 1) > 0);
  return first < 0 ? null : [first, plain.indexOf(plain[first]!, first + 1)];
}

/** Each row with its neighbours on both sides, one after the other; nothing beyond the ends. */
function windows(vectors: Matrix, reach: number): Matrix {
  const width = (2 * reach + 1) * vectors.columns;
  const result = filled(vectors.rows, width, 0);
  for (let row = 0; row < vectors.rows; row += 1) {
    for (let by = -reach; by <= reach; by += 1) {
      const from = row + by;
      if (from < 0 || from >= vectors.rows) continue;
      result.data.set(rowOf(vectors, from), row * width + (by + reach) * vectors.columns);
    }
  }
  return result;
}

/** With real vectors, or, where none are given, with such as are drawn at random. */
export function compute(
  calculator: Calculator,
  state: SameWordState,
  real: WordVectors | null = null,
): SameWord {
  const words = wordsOf(state.words);
  const pair = repeated(words);
  const vectors = real ? real.of(words) : embedded(calculator, words, FEATURES);
  const placed = calculator.encoded(vectors, 0, 0);
  const attended = calculator.attention(vectors, vectors, vectors, true).output;
  const views: Record<Way, Matrix> = {
    word: vectors,
    window: windows(vectors, state.window),
    attention: attended,
    position: calculator.sinusoidal(words.length, vectors.columns),
    both: calculator.attention(placed, placed, placed, true).output,
  };
  const distance = (m: Matrix): number => {
    const [a, b] = pair!.map((row) => selectRows(m, [row]));
    const gap = calculator.difference(a!, b!);
    return calculator.dots(gap, gap).data[0] ?? Number.NaN;
  };
  const distances = Object.fromEntries(
    WAYS.map((way) => [way, pair ? distance(views[way]) : 0]),
  ) as Record<Way, number>;
  return { words, pair, vectors, attended, distances: pair ? distances : null };
}

export const tensors = ({ vectors, attended }: SameWord) => [
  { name: "X", shape: [vectors.rows, vectors.columns], data: vectors.data },
  { name: "attended", shape: [attended.rows, attended.columns], data: attended.data },
];

/** One row for the drawer's and the figure's sake. */
export const distanceRow = (distances: Readonly<Record<Way, number>>): Matrix =>
  matrix(1, WAYS.length, WAYS.map((way) => distances[way]));

/** What the one vector of "saw" is near to, and a pair of words that belong together. */
export const PAIRS = [
  ["saw", "see"],
  ["saw", "hammer"],
  ["king", "queen"],
] as const;

/** The cosine of the two words of each pair. */
export function cosines(calculator: Calculator, real: WordVectors): readonly number[] {
  return PAIRS.map(([a, b]) => {
    const key = real.of([b]);
    const { scores } = calculator.attend(real.of([a]), key, key, { score: "cosine" });
    return at(scores, 0, 0);
  });
}
