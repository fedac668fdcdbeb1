// How far the weights of a feature map lie from those of softmax.
import type { FeatureMap } from "qkv";
import type { Calculator } from "../../lib/calculator";
import type { NamedTensor } from "../../lib/csv";
import { like, weightsOf } from "../../lib/feature-map";
import { filled, identity, largest, matrix, type Matrix } from "../../lib/matrix";
import { GIVEN } from "../../lib/query-key-value";
import { MAPS, type Lengths, type Map, type MapsState } from "./state";

/** Every row divided by its length: its cosines with the axes. */
function unit(calculator: Calculator, rows: Matrix): Matrix {
  const axes = identity(rows.columns);
  const { scores } = calculator.use((core) =>
    core.attention(like(rows), like(axes), like(filled(axes.rows, 1, 0)), {
      score: "cosine",
      returns: { scores: true },
    }),
  );
  return matrix(rows.rows, rows.columns, scores.data);
}

export interface Setting {
  readonly query: Matrix;
  readonly key: Matrix;
  /** The same, longer by the fourth root of d: for the map that divides the scores by √d itself. */
  readonly long: { readonly query: Matrix; readonly key: Matrix };
  /** The weights of softmax that are to be met. */
  readonly target: Matrix;
}

/**
 * As given, the scores are divided by √d, as usual. Of unit length, they are the cosines and stay
 * as they are: exp(q·k) is then e times exp(-|q - k|²/2), which both random maps can meet.
 */
export function setting(calculator: Calculator, lengths: Lengths): Setting {
  const { query, key } = GIVEN;
  const values = identity(key.rows);
  if (lengths === "given") {
    const target = calculator.attention(query, key, values, true).weights;
    return { query, key, long: { query, key }, target };
  }
  const [q, k] = [unit(calculator, query), unit(calculator, key)];
  const grow = (m: Matrix) => calculator.dots(m, identity(m.columns), m.columns ** 0.25);
  return {
    query: q,
    key: k,
    long: { query: grow(q), key: grow(k) },
    target: calculator.attention(q, k, values, false).weights,
  };
}

export function featureMap(map: Map, features: number, seed: number): FeatureMap {
  if (map === "favor") return { favor: { features, seed } };
  if (map === "fourier") return { fourier: { features, seed } };
  return map;
}

export function approximated(
  calculator: Calculator,
  { query, key, long }: Setting,
  map: Map,
  features: number,
  seed: number,
): Matrix {
  const [q, k] = map === "favor" ? [long.query, long.key] : [query, key];
  return weightsOf(calculator, q, k, featureMap(map, features, seed));
}

/** max |A - Â| */
export const errorOf = (calculator: Calculator, { target }: Setting, weights: Matrix): number =>
  largest(calculator.difference(target, weights));

export interface Compared {
  readonly target: Matrix;
  readonly weights: Matrix;
  readonly difference: Matrix;
  readonly errors: Readonly<Record<Map, number>>;
}

export function compute(calculator: Calculator, { map, lengths, power, seed }: MapsState): Compared {
  const given = setting(calculator, lengths);
  const features = 2 ** power;
  const all = MAPS.map((one) => approximated(calculator, given, one, features, seed));
  const weights = all[MAPS.indexOf(map)]!;
  return {
    target: given.target,
    weights,
    difference: calculator.difference(weights, given.target),
    errors: Object.fromEntries(
      MAPS.map((one, i) => [one, errorOf(calculator, given, all[i]!)]),
    ) as Record<Map, number>,
  };
}

export const tensors = ({ target, weights, difference }: Compared): NamedTensor[] =>
  Object.entries({ A: target, A_hat: weights, "A_hat-A": difference }).map(
    ([name, { rows, columns, data }]) => ({ name, shape: [rows, columns], data }),
  );
