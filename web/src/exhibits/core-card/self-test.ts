// The worked example, computed here and compared with results computed elsewhere in double
// precision.
import type { Calculator } from "../../lib/calculator";
import { at, fromRows } from "../../lib/matrix";
import { compute, PLAIN } from "../worked-example/compute";
import { NOTES } from "../worked-example/presets";

const EXPECTED = fromRows([
  [1.936621062, 6.683105308, 1.595068407],
  [1.999993966, 7.963991595, 0.05397640531],
  [1.999704613, 7.759892255, 0.3583892947],
]);
const RELATIVE = 1e-6;
const ABSOLUTE = 1e-6;

export interface Difference {
  readonly row: number;
  readonly column: number;
  readonly value: number;
  readonly expected: number;
}

/** The first number that is not as expected; null when all are. */
export function selfTest(calculator: Calculator): Difference | null {
  const { output } = compute(calculator, NOTES, PLAIN);
  for (let row = 0; row < EXPECTED.rows; row += 1) {
    for (let column = 0; column < EXPECTED.columns; column += 1) {
      const value = at(output, row, column);
      const expected = at(EXPECTED, row, column);
      // Written so that NaN is a difference too.
      if (!(Math.abs(value - expected) <= ABSOLUTE + RELATIVE * Math.abs(expected))) {
        return { row, column, value, expected };
      }
    }
  }
  return null;
}
