// Attention that keeps some of the weights, beside all of them. The core chooses, divides by what is
// left, and makes the outputs.
import type { TopKOptions } from "qkv";
import type { Calculator } from "../../lib/calculator";
import type { NamedTensor } from "../../lib/csv";
import {
  at,
  beside,
  filled,
  identity,
  keptWhere,
  largest,
  matrix,
  rowOf,
  stacked,
  type Matrix,
} from "../../lib/matrix";
import { like, seen, type Seen } from "../../lib/weights-seen";
import { NOTES } from "../worked-example/presets";
import { length, type DropState } from "./state";

const FEATURES = 8;
const VALUES = 4;

export interface Inputs {
  readonly query: Matrix;
  readonly key: Matrix;
  readonly value: Matrix;
  /** What the dot products are multiplied by. */
  readonly scale: number;
}

export type Source = Pick<DropState, "numbers" | "x" | "n" | "sharp" | "shift" | "seed">;

export function inputs(calculator: Calculator, source: Source): Inputs {
  const { numbers, x, n, sharp, shift, seed } = source;
  if (numbers === "worked") {
    return {
      query: calculator.product(x, NOTES.wQuery),
      key: calculator.product(x, NOTES.wKey),
      value: calculator.product(x, NOTES.wValue),
      scale: 1,
    };
  }
  // Three streams of random numbers for each seed.
  const random = (columns: number, stream: number) =>
    calculator.normal(n, columns, 3 * seed + stream);
  return {
    query: random(FEATURES, 0),
    key: random(FEATURES, 1),
    value: shifted(calculator, random(VALUES, 2), shift),
    scale: sharp / Math.sqrt(FEATURES),
  };
}

/** The same number added to every value: [V | 1] times the identity above a row of that number. */
function shifted(calculator: Calculator, value: Matrix, shift: number): Matrix {
  const { rows, columns } = value;
  const both = stacked(identity(columns), filled(1, columns, shift));
  return calculator.product(beside(value, filled(rows, 1, 1)), both);
}

function topK(
  calculator: Calculator,
  { query, key, value, scale }: Inputs,
  options: Pick<TopKOptions, "k" | "threshold">,
): Seen {
  return seen(value, (values) =>
    calculator.use(
      (core) => core.topKAttention(like(query), like(key), values, { ...options, scale }).output,
    ),
  );
}

export interface Dropped {
  readonly exact: Matrix;
  readonly exactOutput: Matrix;
  /** The weights that stay, divided by their sum. */
  readonly renormalised: Matrix;
  /** The weights that stay, as they were: the others are set to 0 and nothing more. */
  readonly zeroed: Matrix;
  /** For each query, the sum of the exact weights that stay. */
  readonly mass: Matrix;
  readonly weights: Matrix;
  readonly sums: Matrix;
  readonly output: Matrix;
  readonly pairs: number;
  /** Where the output differs most from that with all weights. */
  readonly error: { readonly size: number; readonly row: number; readonly column: number };
  /** Two scores of the first query are equal, and only one of their keys stays. */
  readonly tie: readonly [kept: number, dropped: number] | null;
}

export function compute(calculator: Calculator, state: DropState): Dropped {
  const given = inputs(calculator, state);
  const { query, key, value, scale } = given;
  const exact = calculator.attention(query, key, value, scale);
  const k = Math.min(state.k, length(state));
  const chosen = topK(calculator, given, state.rule === "top" ? { k } : { threshold: state.least });
  const zeroed = keptWhere(exact.weights, chosen.weights);
  const weights = state.rest === "mask" ? chosen.weights : zeroed;
  const output = state.rest === "mask" ? chosen.output : calculator.product(zeroed, value);
  return {
    exact: exact.weights,
    exactOutput: exact.output,
    renormalised: chosen.weights,
    zeroed,
    mass: calculator.rowSums(zeroed),
    weights,
    sums: calculator.rowSums(weights),
    output,
    pairs: chosen.weights.data.reduce((count, weight) => count + (weight > 0 ? 1 : 0), 0),
    error: furthest(calculator.difference(exact.output, output)),
    tie: tieOf(exact.scores, chosen.weights),
  };
}

function furthest(gap: Matrix): Dropped["error"] {
  const size = largest(gap);
  const index = gap.data.findIndex((value) => Math.abs(value) === size);
  return { size, row: Math.floor(index / gap.columns), column: index % gap.columns };
}

function tieOf(scores: Matrix, kept: Matrix): Dropped["tie"] {
  const row = rowOf(scores, 0);
  for (let a = 0; a < row.length; a += 1) {
    for (let b = a + 1; b < row.length; b += 1) {
      if (row[a] === row[b] && at(kept, 0, a) > 0 && at(kept, 0, b) === 0) return [a, b];
    }
  }
  return null;
}

/** What becomes of the output as more weights stay: a row for each k, from 1 to all. */
export interface Growth {
  /** Mean, and least, of the exact weight that stays. */
  readonly mass: Matrix;
  /** Largest error of the output: divided by the sum, and only set to 0. */
  readonly errors: Matrix;
}

export function grow(calculator: Calculator, source: Source): Growth {
  const given = inputs(calculator, source);
  const { query, key, value, scale } = given;
  const exact = calculator.attention(query, key, value, scale);
  const n = query.rows;
  // One block of n rows for each k, so that all of them take a few calls.
  const block = (columns: number) => filled(n * n, columns, 0);
  const [zeroed, divided, wanted] = [block(n), block(value.columns), block(value.columns)];
  for (let k = 1; k <= n; k += 1) {
    const chosen = topK(calculator, given, { k });
    const at = (k - 1) * n;
    zeroed.data.set(keptWhere(exact.weights, chosen.weights).data, at * n);
    divided.data.set(chosen.output.data, at * value.columns);
    wanted.data.set(exact.output.data, at * value.columns);
  }
  const sums = matrix(n, n, calculator.rowSums(zeroed).data);
  const means = calculator.dots(sums, filled(1, n, 1), 1 / n);
  const gaps = [divided, calculator.product(zeroed, value)].map((output) =>
    matrix(n, n * value.columns, calculator.difference(output, wanted).data),
  );
  const mass = filled(n, 2, 0);
  const errors = filled(n, 2, 0);
  for (let row = 0; row < n; row += 1) {
    mass.data.set([means.data[row]!, Math.min(...rowOf(sums, row))], 2 * row);
    errors.data.set(
      gaps.map((gap) => Math.max(...rowOf(gap, row).map(Math.abs))),
      2 * row,
    );
  }
  return { mass, errors };
}

export function tensors(dropped: Dropped): NamedTensor[] {
  const named = (name: string, { rows, columns, data }: Matrix): NamedTensor => ({
    name,
    shape: [rows, columns],
    data,
  });
  return [
    named("A", dropped.exact),
    named("A_zeroed", dropped.zeroed),
    named("A_renormalised", dropped.renormalised),
    named("kept_mass", dropped.mass),
    named("O_exact", dropped.exactOutput),
    named("O", dropped.output),
  ];
}
