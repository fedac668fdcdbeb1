// Fewer keys or fewer queries, and what is left of the output.
import type { Calculator } from "../../lib/calculator";
import { type Matrix } from "../../lib/matrix";
import { neighbourMeans, startOf } from "../../lib/shortening";
import { embedded, wordsOf } from "../../lib/words";
import { FEATURES, type QueriesState } from "./state";

export interface Shortened {
  readonly words: readonly string[];
  readonly x: Matrix;
  /** K × N: each row the mean of some neighbours. */
  readonly e: Matrix;
  readonly weights: Matrix;
  readonly output: Matrix;
  /** The words that each row of the shortened side is made of. */
  readonly groups: readonly string[];
  /** For each word the row of the output that speaks of it. */
  readonly rowOf: readonly number[];
}

export function compute(calculator: Calculator, { words: text, side, few }: QueriesState): Shortened {
  const words = wordsOf(text);
  const count = Math.min(few, words.length);
  const x = calculator.encoded(embedded(calculator, words, FEATURES), 0, 0);
  const e = neighbourMeans(count, words.length);
  const short = calculator.product(e, x);
  const made =
    side === "queries"
      ? calculator.attention(short, x, x, true)
      : calculator.attention(x, short, short, true);
  const starts = Array.from({ length: count + 1 }, (_, k) => startOf(k, count, words.length));
  return {
    words,
    x,
    e,
    weights: made.weights,
    output: made.output,
    groups: starts.slice(0, -1).map((from, k) => words.slice(from, starts[k + 1]).join(" + ")),
    rowOf: words.map((_, word) =>
      side === "keys" ? word : starts.findIndex((from, k) => word >= from && word < starts[k + 1]!),
    ),
  };
}
