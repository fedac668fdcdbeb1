import { expect } from "vitest";

/**
 * Equal up to the digits the page shows: half a unit of the last of `decimals`, or of the third
 * significant digit where the page writes powers of ten, and what float32 may differ.
 */
export function expectClose(
  actual: readonly (readonly number[])[],
  expected: readonly (readonly number[])[],
  decimals: number,
): void {
  expect(actual.map((row) => row.length)).toEqual(expected.map((row) => row.length));
  expected.forEach((row, i) =>
    row.forEach((value, j) => {
      const tolerance =
        Math.abs(value) < 0.5 * 10 ** -decimals
          ? 0.006 * Math.abs(value)
          : 0.5 * 10 ** -decimals + 2e-6 + 1e-6 * Math.abs(value);
      expect(Math.abs(actual[i]![j]! - value), `row ${i}, column ${j}`).toBeLessThanOrEqual(
        tolerance,
      );
    }),
  );
}
