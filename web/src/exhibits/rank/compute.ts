// How many columns of a matrix say something new: one after the other is taken away from all, until
// nothing is left. This is elimination, each step a product and a difference of the core.
import type { Calculator } from "../../lib/calculator";
import {
  at,
  columnOf,
  largest,
  matrix,
  rowOf,
  type Cell,
  type Matrix,
} from "../../lib/matrix";
import { OF, TOKENS, type Of } from "./state";

export interface Peeled {
  /** The matrix after 0, 1, 2, … columns have been taken away. */
  readonly left: readonly Matrix[];
  /** Where the largest number stood in each step; null once nothing was left. */
  readonly pivots: readonly (Cell | null)[];
  /** The largest number that is left after each step. */
  readonly sizes: Float32Array;
}

export type Ranks = Record<Of, Peeled>;

function largestCell(m: Matrix): Cell {
  const size = largest(m);
  const index = m.data.findIndex((value) => Math.abs(value) === size);
  return { row: Math.floor(index / m.columns), column: index % m.columns };
}

// What is smaller than this part of the whole is rounding, and nothing to divide by.
const ROUNDING = 1e-6;

function peeled(calculator: Calculator, whole: Matrix): Peeled {
  const left = [whole];
  const pivots: (Cell | null)[] = [];
  for (let step = 0; step < TOKENS; step += 1) {
    const now = left.at(-1)!;
    const rest = largest(now);
    if (rest <= ROUNDING * largest(whole)) {
      left.push(now);
      pivots.push(null);
      continue;
    }
    const pivot = largestCell(now);
    const column = matrix(now.rows, 1, columnOf(now, pivot.column));
    const row = matrix(now.columns, 1, rowOf(now, pivot.row));
    const share = 1 / at(now, pivot.row, pivot.column);
    left.push(calculator.difference(now, calculator.dots(column, row, share)));
    pivots.push(pivot);
  }
  return { left, pivots, sizes: Float32Array.from(left, largest) };
}

export function compute(calculator: Calculator, x: Matrix): Ranks {
  const made = calculator.attention(x, x, x, false);
  return Object.fromEntries(OF.map((of) => [of, peeled(calculator, made[of])])) as Ranks;
}
