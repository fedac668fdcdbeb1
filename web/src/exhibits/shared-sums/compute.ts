// What is made once for all queries, what is made for each, and the weights that come of it.
import type { Calculator } from "../../lib/calculator";
import type { NamedTensor } from "../../lib/csv";
import { featuresOf, outputOf, sumsOf, weightsOf, type Sums } from "../../lib/feature-map";
import { largest, matrix, rowOf, selectRows, type Matrix } from "../../lib/matrix";
import type { QueryKeyValue } from "../../lib/query-key-value";
import type { Map } from "./state";

export interface Once extends Sums {
  /** φ of every key. */
  readonly phiKey: Matrix;
}

/** Knows nothing of the queries. */
export function once(calculator: Calculator, key: Matrix, value: Matrix, map: Map): Once {
  return { phiKey: featuresOf(calculator, key, map), ...sumsOf(calculator, key, value, map) };
}

export interface Answer {
  readonly phi: Matrix;
  /** φ(q) times the sums: the numerators, one for each feature of the values. */
  readonly numerator: Matrix;
  readonly denominator: number;
}

/** Knows nothing of the keys: one query, and the sums. */
export function answer(
  calculator: Calculator,
  query: Matrix,
  row: number,
  map: Map,
  { joined }: Sums,
): Answer {
  const phi = featuresOf(calculator, selectRows(query, [row]), map);
  const product = rowOf(calculator.product(phi, joined), 0);
  const width = joined.columns - 1;
  return {
    phi,
    numerator: matrix(1, width, product.subarray(0, width)),
    denominator: product[width]!,
  };
}

export interface Kernel {
  readonly phiQuery: Matrix;
  readonly output: Matrix;
  readonly weights: Matrix;
  /** Softmax of the scores divided by √d, for comparison. */
  readonly softmax: Matrix;
  readonly gap: number;
}

/** The same by one call for all queries, beside softmax. */
export function kernel(
  calculator: Calculator,
  { query, key, value }: QueryKeyValue,
  map: Map,
): Kernel {
  const weights = weightsOf(calculator, query, key, map);
  const softmax = calculator.attention(query, key, value, true).weights;
  return {
    phiQuery: featuresOf(calculator, query, map),
    output: outputOf(calculator, query, key, value, map),
    weights,
    softmax,
    gap: largest(calculator.difference(weights, softmax)),
  };
}

export function tensors(sums: Once, made: Kernel): NamedTensor[] {
  const named = (name: string, { rows, columns, data }: Matrix): NamedTensor => ({
    name,
    shape: [rows, columns],
    data,
  });
  return [
    named("phi(Q)", made.phiQuery),
    named("phi(K)", sums.phiKey),
    named("phi(K)^T V", sums.values),
    named("sum phi(K)", sums.features),
    named("output", made.output),
    named("A", made.weights),
    named("A_softmax", made.softmax),
  ];
}
