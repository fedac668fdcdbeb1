import type { Calculator } from "../../lib/calculator";
import { at, matrix, type Matrix } from "../../lib/matrix";
import { BITS, ROWS } from "./state";

export interface Clocks {
  readonly bits: Matrix;
  readonly waves: Matrix;
  /** How often each column of bits changes from one row to the next. */
  readonly flips: readonly number[];
  /** The row in which it changes first: also the number of rows between two changes. */
  readonly every: readonly number[];
}

export function compute(calculator: Calculator, base: number): Clocks {
  const dim = 2 * BITS;
  const bits = calculator.use((core) => core.position.binary({ length: ROWS, bits: BITS }));
  const waves = calculator.use((core) => core.position.sinusoidal({ length: ROWS, dim, base }));
  const made = matrix(ROWS, BITS, bits.data);
  const changed = Array.from({ length: BITS }, (_none, column) =>
    Array.from({ length: ROWS }, (_, row) => row).filter(
      (row) => row > 0 && at(made, row, column) !== at(made, row - 1, column),
    ),
  );
  return {
    bits: made,
    waves: matrix(ROWS, dim, waves.data),
    flips: changed.map((rows) => rows.length),
    every: changed.map((rows) => rows[0] ?? 0),
  };
}
