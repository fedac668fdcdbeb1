// The weights of a mechanism that gives only its output. With the values [V | 1], whose right half is
// the identity, the right half of the output is the matrix of weights: row i, column j is how much of
// value j query i took.
import { beside, identity, matrix, slice, type Matrix } from "./matrix";

interface Rows {
  readonly data: Float32Array;
  readonly shape: readonly number[];
}

export interface Seen {
  readonly weights: Matrix;
  readonly output: Matrix;
}

/** A matrix as the core takes it. */
export const like = ({ rows, columns, data }: Matrix): Rows => ({ data, shape: [rows, columns] });

/** `run` gives the mechanism's output for the values it is handed. */
export function seen(value: Matrix, run: (value: Rows) => { readonly data: Float32Array }): Seen {
  const { data } = run(like(beside(value, identity(value.rows))));
  const width = value.columns + value.rows;
  const both = matrix(data.length / width, width, data);
  return {
    output: slice(both, 0, value.columns),
    weights: slice(both, value.columns, value.rows),
  };
}
