// Linear attention by the core, taken apart: features, sums, and what each query makes of them.
import type { FeatureMap } from "qkv";
import type { Calculator } from "./calculator";
import { columnOf, identity, matrix, selectColumns, type Matrix } from "./matrix";

export const like = ({ rows, columns, data }: Matrix) => ({ data, shape: [rows, columns] });

/** Σ φ(kⱼ)vⱼᵀ over all keys, and Σ φ(kⱼ) as one more column: the state the core hands over. */
export interface Sums {
  readonly joined: Matrix;
  readonly values: Matrix;
  readonly features: Matrix;
}

/** The two parts of a state of the core. */
export function partsOf(joined: Matrix): Sums {
  const width = joined.columns - 1;
  return {
    joined,
    values: selectColumns(joined, Array.from({ length: width }, (_, i) => i)),
    features: matrix(joined.rows, 1, columnOf(joined, width)),
  };
}

/** One call for all keys. The queries do not matter: any of the same length will do. */
export function sumsOf(
  calculator: Calculator,
  key: Matrix,
  value: Matrix,
  featureMap: FeatureMap,
): Sums {
  const { state } = calculator.use((core) =>
    core.linearAttention(like(key), like(key), like(value), { featureMap, causal: true }),
  );
  const [rows, columns] = state!.shape as [number, number];
  return partsOf(matrix(rows, columns, state!.data));
}

/** φ of every row: what the state holds when that row was the only key. */
export function featuresOf(calculator: Calculator, x: Matrix, featureMap: "elu" | "relu"): Matrix {
  const rows = { data: x.data, shape: [x.rows, 1, x.columns] };
  const nothing = { data: new Float32Array(x.rows), shape: [x.rows, 1, 1] };
  const { state } = calculator.use((core) =>
    core.linearAttention(rows, rows, nothing, { featureMap, causal: true }),
  );
  const features = state!.shape[1]!;
  const flat = matrix(x.rows * features, 2, state!.data);
  return matrix(x.rows, features, columnOf(flat, 1));
}

export function outputOf(
  calculator: Calculator,
  query: Matrix,
  key: Matrix,
  value: Matrix,
  featureMap: FeatureMap,
): Matrix {
  const { output } = calculator.use((core) =>
    core.linearAttention(like(query), like(key), like(value), { featureMap }),
  );
  return matrix(query.rows, value.columns, output.data);
}

/** The weights themselves: the output, when the values are the rows of the identity. */
export const weightsOf = (
  calculator: Calculator,
  query: Matrix,
  key: Matrix,
  featureMap: FeatureMap,
): Matrix => outputOf(calculator, query, key, identity(key.rows), featureMap);
