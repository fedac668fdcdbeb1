import { expect } from "vitest";

export interface Tolerance {
  readonly relative: number;
  readonly absolute: number;
}

export interface Expected {
  readonly shape: readonly number[];
  readonly data: ArrayLike<number>;
}

export const DEFAULT: Tolerance = { relative: 1e-6, absolute: 1e-6 };
export const EXACT: Tolerance = { relative: 0, absolute: 0 };

/** Fails with the place and the sizes of the largest difference. */
export function expectClose(
  got: Expected,
  want: Expected,
  tolerance: Tolerance = DEFAULT,
  what = "",
): void {
  expect(got.shape, `${what} shape`).toEqual(want.shape);
  expect(got.data.length, `${what} length`).toBe(want.data.length);
  let worst = 0;
  let at = -1;
  for (let index = 0; index < want.data.length; ++index) {
    const a = got.data[index];
    const b = want.data[index];
    if (Object.is(a, b) || a === b) continue;
    const room = tolerance.absolute + tolerance.relative * Math.abs(b);
    const excess = Math.abs(a - b) - room;
    if (Number.isFinite(excess) && excess <= 0) continue;
    const size = Number.isFinite(excess) ? excess : Infinity;
    if (at < 0 || size > worst) {
      worst = size;
      at = index;
    }
  }
  if (at >= 0) {
    expect.fail(`${what}: element ${at} is ${got.data[at]}, expected ${want.data[at]}`);
  }
}
