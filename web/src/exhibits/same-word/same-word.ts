// The same word twice: how far apart its two vectors are, seen in five ways.
import type { Calculator } from "../../lib/calculator";
import { BadEntry, type Codec } from "../../lib/codec";
import { number, writeNumber } from "../../lib/entries";
import { filled, matrix, rowOf, selectRows, type Matrix } from "../../lib/matrix";
import { embedded, fitsWords, wordsOf } from "../../lib/words";

export const WINDOW = { least: 0, most: 3, step: 1 } as const;

export interface SameWordState {
  readonly words: string;
  readonly window: number;
}

const initial: SameWordState = { words: "I saw a saw", window: 1 };

export const codec: Codec<SameWordState> = {
  initial,
  write: (state) => ({
    words: state.words === initial.words ? null : state.words,
    window: writeNumber(state.window, initial.window),
  }),
  read(entry) {
    const words = entry("words") ?? initial.words;
    if (!fitsWords(words)) throw new BadEntry();
    return { words, window: number(entry("window"), WINDOW, initial.window) };
  },
};

// As many features as the table of positions of chapter 6 has.
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

export function compute(calculator: Calculator, state: SameWordState): SameWord {
  const words = wordsOf(state.words);
  const pair = repeated(words);
  const vectors = embedded(calculator, words, FEATURES);
  const placed = calculator.encoded(vectors, 0, 0);
  const attended = calculator.attention(vectors, vectors, vectors, true).output;
  const views: Record<Way, Matrix> = {
    word: vectors,
    window: windows(vectors, state.window),
    attention: attended,
    position: calculator.sinusoidal(words.length, FEATURES),
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
