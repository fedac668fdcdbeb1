// FNet of a small matrix, the wave behind each of its numbers, and what padding does to it.
import type { Calculator } from "../../lib/calculator";
import { filled, largest, matrix, rowOf, selectRows, type Cell, type Matrix } from "../../lib/matrix";
import { type FnetState } from "./state";

export interface Transformed {
  readonly padded: Matrix;
  readonly output: Matrix;
  /** How far the rows of the tokens are from what they are without padding. */
  readonly moved: number;
}

export function fnet(calculator: Calculator, x: Matrix): Matrix {
  const { output } = calculator.use((core) =>
    core.fnet({ data: x.data, shape: [x.rows, x.columns] }),
  );
  return matrix(x.rows, x.columns, output.data);
}

export function compute(calculator: Calculator, { x, padding }: FnetState): Transformed {
  const padded = filled(x.rows + padding, x.columns, 0);
  padded.data.set(x.data);
  const output = fnet(calculator, padded);
  const rows = Array.from({ length: x.rows }, (_, row) => row);
  const gap = calculator.difference(selectRows(output, rows), fnet(calculator, x));
  return { padded, output, moved: largest(gap) };
}

/**
 * What each number of the input counts for in one number of the output: FNet of inputs that are 1 at
 * one place and 0 elsewhere, all in one call.
 */
export function waveOf(calculator: Calculator, rows: number, columns: number, cell: Cell): Matrix {
  const size = rows * columns;
  const ones = filled(size, size, 0);
  for (let i = 0; i < size; i += 1) ones.data[i * size + i] = 1;
  const { output } = calculator.use((core) =>
    core.fnet({ data: ones.data, shape: [size, rows, columns] }),
  );
  const place = cell.row * columns + cell.column;
  const all = matrix(size, size, output.data);
  return matrix(rows, columns, Array.from({ length: size }, (_, i) => rowOf(all, i)[place]!));
}
