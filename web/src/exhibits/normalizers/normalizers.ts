// Softmax or ReLU: what a constant added to all scores does, and what large scores do.
import type { Calculator } from "../../lib/calculator";
import type { Codec } from "../../lib/codec";
import type { NamedTensor } from "../../lib/csv";
import { number, readMatrix, writeMatrix, writeNumber } from "../../lib/entries";
import { fromRows, largest, matrix, sameNumbers, type Matrix } from "../../lib/matrix";

export const LIMITS = {
  shift: { least: -10, most: 10, step: 1 },
  times: { least: 1, most: 100, step: 1 },
} as const;

export interface NormalizersState {
  readonly scores: Matrix;
  readonly shift: number;
  readonly times: number;
}

const initial: NormalizersState = { scores: fromRows([[2, 4, 4]]), shift: 0, times: 1 };

export const codec: Codec<NormalizersState> = {
  initial,
  write: ({ scores, shift, times }) => ({
    scores: sameNumbers(scores, initial.scores) ? null : writeMatrix(scores),
    shift: writeNumber(shift, initial.shift),
    times: writeNumber(times, initial.times),
  }),
  read(entry) {
    const scores = entry("scores");
    return {
      scores: scores === null ? initial.scores : readMatrix(scores, initial.scores),
      shift: number(entry("shift"), LIMITS.shift, initial.shift),
      times: number(entry("times"), LIMITS.times, initial.times),
    };
  },
};

export interface Normalized {
  readonly scores: Matrix;
  readonly softmax: Matrix;
  readonly relu: Matrix;
  /** Softmax as it is written, without subtracting the largest score. */
  readonly naive: Matrix;
  /** The largest difference of a weight from what it is without the shift. */
  readonly moved: { readonly softmax: number; readonly relu: number };
}

/**
 * What a program does that takes the exponentials as the formula has them, in 32-bit floats. The
 * core never does this, so these few lines are the page's own: they are there to fail.
 */
function naive({ rows, columns, data }: Matrix): Matrix {
  const powers = data.map((score) => Math.exp(score));
  const sum = powers.reduce((total, power) => Math.fround(total + power), 0);
  return matrix(rows, columns, powers.map((power) => power / sum));
}

export function compute(calculator: Calculator, state: NormalizersState): Normalized {
  const keys = matrix(state.scores.columns, 1, state.scores.data);
  const by = (normalizer: "softmax" | "relu", shift: number) =>
    calculator.attend(fromRows([[1]]), keys, keys, {
      score: "dot",
      scale: state.times,
      bias: { data: new Float32Array(keys.rows).fill(shift), shape: [1, keys.rows] },
      normalizer,
    });
  const softmax = by("softmax", state.shift);
  const relu = by("relu", state.shift);
  const moved = (now: Matrix, normalizer: "softmax" | "relu") =>
    largest(calculator.difference(now, by(normalizer, 0).weights));
  return {
    scores: softmax.scores,
    softmax: softmax.weights,
    relu: relu.weights,
    naive: naive(softmax.scores),
    moved: { softmax: moved(softmax.weights, "softmax"), relu: moved(relu.weights, "relu") },
  };
}

export const tensors = (made: Normalized): NamedTensor[] =>
  (["scores", "softmax", "relu", "naive"] as const).map((name) => ({
    name,
    shape: [1, made[name].columns],
    data: made[name].data,
  }));
