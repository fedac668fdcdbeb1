// Rows of the sums as templates among which a query picks.
import type { Calculator } from "../../lib/calculator";
import type { NamedTensor } from "../../lib/csv";
import { featuresOf, outputOf, sumsOf, type Sums } from "../../lib/feature-map";
import {
  filled,
  identity,
  matrix,
  rowOf,
  selectRows,
  transposed,
  type Matrix,
} from "../../lib/matrix";
import { GIVEN } from "../../lib/query-key-value";

export interface Templates extends Sums {
  readonly phi: Matrix;
  /** Each row of the sums divided by its Σ φ: a mean of the values. */
  readonly means: Matrix;
  /** How much the query takes of each; together 1. */
  readonly shares: Matrix;
  /** The shares times the means. */
  readonly picked: Matrix;
  /** What linear attention gives this query. */
  readonly output: Matrix;
}

export function compute(calculator: Calculator, row: number): Templates {
  const { key, value } = GIVEN;
  const query = selectRows(GIVEN.query, [row]);
  const sums = sumsOf(calculator, key, value, "elu");
  const phi = featuresOf(calculator, query, "elu");
  // Numbers that are not negative, divided by their sum, are what the normalizer "relu" makes.
  const divide = (rows: Matrix, over: Matrix) =>
    calculator.attend(rows, over, filled(over.rows, 1, 0), {
      score: "dot",
      scale: 1,
      normalizer: "relu",
    }).weights;
  const byFeature = transposed(featuresOf(calculator, key, "elu"));
  const means = calculator.product(divide(byFeature, identity(key.rows)), value);
  const taken = calculator.terms(rowOf(phi, 0), sums.features.data);
  const shares = divide(matrix(1, taken.length, taken), identity(taken.length));
  return {
    ...sums,
    phi,
    means,
    shares,
    picked: calculator.product(shares, means),
    output: outputOf(calculator, query, key, value, "elu"),
  };
}

export const tensors = (made: Templates): NamedTensor[] =>
  Object.entries({
    "phi(q)": made.phi,
    "phi(K)^T V": made.values,
    "sum phi(K)": made.features,
    templates: made.means,
    shares: made.shares,
    b: made.output,
  }).map(([name, { rows, columns, data }]) => ({ name, shape: [rows, columns], data }));
