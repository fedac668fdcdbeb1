// Attention over K keys that stand for N, made in four ways, beside attention over all N.
import type { Calculator } from "../../lib/calculator";
import { at, filled, matrix, rowOf, selectColumns, selectRows, type Matrix } from "../../lib/matrix";
import { chosenRows, neighbourMeans, startOf } from "../../lib/shortening";
import { FEATURES, LENGTH, PERIOD, WAYS, type Sequence, type Way } from "./state";

const SEEDS = { tokens: 7, projection: 3 } as const;

export function sequenceOf(calculator: Calculator, sequence: Sequence): Matrix {
  switch (sequence) {
    case "smooth": {
      // Positions as in chapter 6, without the fastest waves and twice as large: each row turns a
      // little on from the row before.
      const table = calculator.sinusoidal(LENGTH, 2 * FEATURES);
      const slow = selectColumns(table, Array.from({ length: FEATURES }, (_, i) => i + 4));
      const flat = matrix(LENGTH * FEATURES, 1, slow.data);
      return matrix(LENGTH, FEATURES, calculator.dots(flat, filled(1, 1, 2)).data);
    }
    case "repeating":
      return selectRows(
        calculator.normal(PERIOD, FEATURES, SEEDS.tokens),
        Array.from({ length: LENGTH }, (_, i) => i % PERIOD),
      );
    case "random":
      return calculator.normal(LENGTH, FEATURES, SEEDS.tokens);
  }
}

/**
 * All tokens, each as unlike as can be to those before it: the next one is that whose largest cosine
 * with them is the smallest. Of equals the first.
 */
export function unlikeOrder(calculator: Calculator, x: Matrix): number[] {
  const cosines = calculator.attend(x, x, filled(LENGTH, 1, 0), { score: "cosine" }).scores;
  const order = [0];
  const nearest = rowOf(cosines, 0).slice();
  while (order.length < LENGTH) {
    let next = -1;
    for (let i = 0; i < LENGTH; i += 1) {
      if (!order.includes(i) && (next < 0 || nearest[i]! < nearest[next]! - 1e-6)) next = i;
    }
    order.push(next);
    nearest.forEach((value, i) => (nearest[i] = Math.max(value, at(cosines, next, i))));
  }
  return order;
}

/** Which tokens are picked; null for the ways that mix all of them. */
export function chosenBy(way: Way, keys: number, order: readonly number[]): readonly number[] | null {
  if (way === "unlike") return order.slice(0, keys).sort((a, b) => a - b);
  if (way === "every") return Array.from({ length: keys }, (_, k) => startOf(k, keys, LENGTH));
  return null;
}

function projection(
  calculator: Calculator,
  way: Way,
  keys: number,
  order: readonly number[],
): Matrix {
  const chosen = chosenBy(way, keys, order);
  if (chosen) return chosenRows(chosen, LENGTH);
  if (way === "mean") return neighbourMeans(keys, LENGTH);
  // Random numbers of deviation 1/√N: the mixed keys are about as long as the keys.
  const flat = calculator.normal(keys * LENGTH, 1, SEEDS.projection);
  return matrix(keys, LENGTH, calculator.dots(flat, filled(1, 1, 1 / Math.sqrt(LENGTH))).data);
}

function fewer(calculator: Calculator, x: Matrix, e: Matrix): Matrix {
  const tokens = { data: x.data, shape: [LENGTH, FEATURES] };
  const { output } = calculator.use((core) =>
    core.linformer(tokens, tokens, tokens, {
      keyProjection: { data: e.data, shape: [e.rows, LENGTH] },
    }),
  );
  return matrix(LENGTH, FEATURES, output.data);
}

/** How long the difference is, as a share of how long the exact output is. */
function relativeError(calculator: Calculator, output: Matrix, exact: Matrix): number {
  const square = (m: Matrix) => {
    const flat = matrix(1, m.data.length, m.data);
    return calculator.dots(flat, flat).data[0]!;
  };
  return Math.sqrt(square(calculator.difference(output, exact)) / square(exact));
}

export interface Curves {
  readonly x: Matrix;
  readonly order: readonly number[];
  readonly weights: Matrix;
  readonly output: Matrix;
  /** The errors, one row for each way and one column for each of SIZES. */
  readonly errors: Matrix;
}

export const SIZES = [1, 2, 4, 8, 16, 32, 64] as const;

/** What depends on the sequence alone. */
export function curves(calculator: Calculator, sequence: Sequence): Curves {
  const x = sequenceOf(calculator, sequence);
  const order = unlikeOrder(calculator, x);
  const { weights, output } = calculator.attention(x, x, x, true);
  const errors = WAYS.flatMap((way) =>
    SIZES.map((keys) => {
      const e = projection(calculator, way, keys, order);
      return relativeError(calculator, fewer(calculator, x, e), output);
    }),
  );
  return { x, order, weights, output, errors: matrix(WAYS.length, SIZES.length, errors) };
}

export interface Fewer {
  /** Weights of the N queries on the K keys. */
  readonly weights: Matrix;
  readonly projection: Matrix;
  readonly output: Matrix;
  readonly error: number;
  readonly chosen: readonly number[] | null;
  /** The mean share of a query's exact weight that lies on the picked keys. */
  readonly kept: number | null;
}

export function withFewer(calculator: Calculator, all: Curves, way: Way, keys: number): Fewer {
  const e = projection(calculator, way, keys, all.order);
  const mixed = calculator.product(e, all.x);
  const output = fewer(calculator, all.x, e);
  const chosen = chosenBy(way, keys, all.order);
  let kept: number | null = null;
  if (chosen) {
    const sums = calculator.rowSums(selectColumns(all.weights, chosen));
    kept = calculator.dots(
      matrix(1, LENGTH, sums.data),
      filled(1, LENGTH, 1),
      1 / LENGTH,
    ).data[0]!;
  }
  return {
    weights: calculator.attention(all.x, mixed, mixed, true).weights,
    projection: e,
    output,
    error: relativeError(calculator, output, all.output),
    chosen,
    kept,
  };
}
