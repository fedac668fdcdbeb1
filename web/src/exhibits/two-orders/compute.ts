// The product of three matrices in both orders, by the core.
import type { Calculator } from "../../lib/calculator";
import type { NamedTensor } from "../../lib/csv";
import { largest, matrix, transposed, type Matrix } from "../../lib/matrix";
import type { QueryKeyValue } from "../../lib/query-key-value";
import type { Sizes } from "./state";

export interface Orders extends QueryKeyValue {
  /** Q Kᵀ, and (Q Kᵀ) V. */
  readonly scores: Matrix;
  readonly scoresFirst: Matrix;
  /** Kᵀ V, and Q (Kᵀ V). */
  readonly kv: Matrix;
  readonly keysFirst: Matrix;
  /** Largest difference between the two results. */
  readonly gap: number;
}

export function compute(calculator: Calculator, inputs: QueryKeyValue): Orders {
  const { query, key, value } = inputs;
  const scores = calculator.dots(query, key);
  const scoresFirst = calculator.product(scores, value);
  const kv = calculator.product(transposed(key), value);
  const keysFirst = calculator.product(query, kv);
  const gap = largest(calculator.difference(scoresFirst, keysFirst));
  return { ...inputs, scores, scoresFirst, kv, keysFirst, gap };
}

/** As many tokens as this are compared; more would not differ more, but take longer. */
export const COMPARED = 64;

/**
 * How far the two orders differ on random numbers: the largest difference, and the largest number
 * of the result to hold it against.
 */
export function randomGap(calculator: Calculator, { n, d, dv }: Sizes) {
  const [query, key, value] = [d, d, dv].map((width, seed) =>
    calculator.normal(Math.min(n, COMPARED), width, seed + 1),
  ) as [Matrix, Matrix, Matrix];
  const scoresFirst = calculator.product(calculator.dots(query, key), value);
  const like = ({ rows, columns, data }: Matrix) => ({ data, shape: [rows, columns] });
  const { output } = calculator.use((core) =>
    core.linearAttention(like(query), like(key), like(value), { featureMap: "identity" }),
  );
  const keysFirst = matrix(scoresFirst.rows, dv, output.data);
  return {
    gap: largest(calculator.difference(scoresFirst, keysFirst)),
    most: largest(scoresFirst),
  };
}

const NAMES = {
  query: "Q",
  key: "K",
  value: "V",
  scores: "QK^T",
  scoresFirst: "(QK^T)V",
  kv: "K^TV",
  keysFirst: "Q(K^TV)",
} as const;

export const tensors = (orders: Orders): NamedTensor[] =>
  (Object.keys(NAMES) as (keyof typeof NAMES)[]).map((name) => {
    const { rows, columns, data } = orders[name];
    return { name: NAMES[name], shape: [rows, columns], data };
  });
