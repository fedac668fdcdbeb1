// Weights from parameters, from each token alone, and from pairs of tokens: what a changed token
// does to them.
import type { SynthesizerOptions } from "qkv";
import type { Calculator } from "../../lib/calculator";
import { filled, identity, largest, matrix, rowOf, type Matrix } from "../../lib/matrix";
import { NOTES } from "../worked-example/presets";
import { TOKENS, type SynthesizerState } from "./state";

export const WAYS = ["random", "factorized", "dense", "dot"] as const;
export type Way = (typeof WAYS)[number];

const HIDDEN = 4;
const RANK = 1;

export interface Weights {
  readonly before: Matrix;
  readonly change: Matrix;
  /** The largest change of a weight. */
  readonly largest: number;
  /** How many queries have a weight that changed. */
  readonly rows: number;
}

export interface Synthesized {
  readonly changed: Matrix;
  readonly ways: Record<Way, Weights>;
}

const like = ({ rows, columns, data }: Matrix) => ({ data, shape: [rows, columns] });

/** With the identity as values the output is the weights. */
function synthesized(calculator: Calculator, x: Matrix, options: SynthesizerOptions): Matrix {
  const { output } = calculator.use((core) =>
    core.synthesizer(like(x), like(identity(TOKENS)), options),
  );
  return matrix(TOKENS, TOKENS, output.data);
}

/** The parameters of each way, drawn once for all inputs. */
function waysOf(calculator: Calculator, seed: number): Record<Way, (x: Matrix) => Matrix> {
  const width = NOTES.x.columns;
  // Each matrix has a stream of its own, and no two seeds share one.
  const drawn = (stream: number, rows: number, columns: number) =>
    like(calculator.normal(rows, columns, 5 * seed + stream));
  /** As wide as keeps a sum over the inputs near 1. */
  const layer = (stream: number, rows: number, columns: number) => {
    const flat = matrix(rows * columns, 1, drawn(stream, rows, columns).data);
    const scaled = calculator.dots(flat, filled(1, 1, 1 / Math.sqrt(columns)));
    return like(matrix(rows, columns, scaled.data));
  };
  const random = drawn(0, TOKENS, TOKENS);
  const factorized = { left: drawn(1, TOKENS, RANK), right: drawn(2, RANK, TOKENS) };
  const dense = { weight1: layer(3, HIDDEN, width), weight2: layer(4, TOKENS, HIDDEN) };
  return {
    random: (x) => synthesized(calculator, x, { random }),
    factorized: (x) => synthesized(calculator, x, { factorized }),
    dense: (x) => synthesized(calculator, x, { dense }),
    dot(x) {
      const query = calculator.product(x, NOTES.wQuery);
      const key = calculator.product(x, NOTES.wKey);
      return calculator.attention(query, key, identity(TOKENS), true).weights;
    },
  };
}

/** x with `amount` added to every feature of one token; x itself is not touched. */
function withToken(calculator: Calculator, { x, token, amount }: SynthesizerState): Matrix {
  const less = filled(x.rows, x.columns, 0);
  less.data.fill(-amount, (token - 1) * x.columns, token * x.columns);
  return calculator.difference(x, less);
}

export function compute(calculator: Calculator, state: SynthesizerState): Synthesized {
  const changed = withToken(calculator, state);
  const ways = waysOf(calculator, state.seed);
  return {
    changed,
    ways: Object.fromEntries(
      WAYS.map((way): [Way, Weights] => {
        const before = ways[way](state.x);
        const change = calculator.difference(ways[way](changed), before);
        const moved = Array.from({ length: TOKENS }, (_, row) =>
          rowOf(change, row).some((value) => value !== 0),
        );
        return [
          way,
          { before, change, largest: largest(change), rows: moved.filter(Boolean).length },
        ];
      }),
    ) as Record<Way, Weights>,
  };
}
