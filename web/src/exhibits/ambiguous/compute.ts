// Shares of the counts of the Brown corpus. The counts themselves are data (see web/data).
import brown from "../../../data/brown.json";
import type { Calculator } from "../../lib/calculator";
import type { NamedTensor } from "../../lib/csv";
import { fromRows, matrix, type Matrix } from "../../lib/matrix";
import type { AmbiguousState } from "./state";

export const TAGS = [
  "verb",
  "noun",
  "adjective",
  "adverb",
  "adposition",
  "particle",
  "other",
] as const;
export type Tag = (typeof TAGS)[number];

type Tags = Readonly<Partial<Record<Tag, number>>>;

export const TOKENS = brown.tokens;
export const HELD_OUT = brown.heldOut.all.tokens;
/** Of "saw": as past tense of "see", in the base form, and as the tool. */
export const SAW = brown.saw;

export const COUNTS: readonly { readonly word: string; readonly tags: Tags }[] = brown.words;

export interface Counted {
  /** The word's tags, the most frequent first. */
  readonly tags: readonly Tag[];
  readonly counts: Matrix;
  readonly shares: Matrix;
  /** How much of what was held out the most frequent tag gets right. */
  readonly right: number;
  /** How much of it are ambiguous words, and how much of those it gets right. */
  readonly ambiguous: number;
  readonly rightOfAmbiguous: number;
}

/** What part of the whole each count is: the core's division of scores by their sum. */
function shares(calculator: Calculator, counts: Matrix): Matrix {
  const items = matrix(counts.columns, 1, counts.data);
  const options = { score: "dot", normalizer: "relu" } as const;
  return calculator.attend(fromRows([[1]]), items, items, options).weights;
}

export function compute(calculator: Calculator, { word }: AmbiguousState): Counted {
  const found = COUNTS.find((entry) => entry.word === word)!.tags;
  const tags = TAGS.filter((tag) => found[tag]).sort((a, b) => found[b]! - found[a]!);
  const counts = fromRows([tags.map((tag) => found[tag]!)]);
  const part = (some: number, all: number) =>
    shares(calculator, fromRows([[some, all - some]])).data[0]!;
  const { all, ambiguous } = brown.heldOut;
  return {
    tags,
    counts,
    shares: shares(calculator, counts),
    right: part(all.right, all.tokens),
    ambiguous: part(ambiguous.tokens, all.tokens),
    rightOfAmbiguous: part(ambiguous.right, ambiguous.tokens),
  };
}

export const tensors = ({ counts, shares: parts }: Counted): NamedTensor[] =>
  Object.entries({ counts, shares: parts }).map(([name, m]) => ({
    name,
    shape: [m.rows, m.columns],
    data: m.data,
  }));
