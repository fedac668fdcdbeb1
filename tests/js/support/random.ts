import fc from "fast-check";

export interface Data {
  readonly data: Float32Array;
  readonly shape: readonly number[];
}

/** Elements that float32 holds exactly, so that only the library rounds. */
export function tensorOf(shape: readonly number[], largest = 2): fc.Arbitrary<Data> {
  const length = shape.reduce((product, size) => product * size, 1);
  return fc
    .array(fc.integer({ min: -8 * largest, max: 8 * largest }), {
      minLength: length,
      maxLength: length,
      size: "max",
    })
    .map((eighths) => ({ data: Float32Array.from(eighths, (eighth) => eighth / 8), shape }));
}

/** Lengths around the sizes of registers and tiles. */
export const length = fc.oneof(
  fc.integer({ min: 1, max: 9 }),
  fc.constantFrom(15, 16, 17, 31, 33, 63, 64, 65, 129),
);

export interface Problem {
  readonly query: Data;
  readonly key: Data;
  readonly value: Data;
}

/** Query, key and value of one head, [L, D]. */
export const problem: fc.Arbitrary<Problem> = fc
  .tuple(length, length, fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }))
  .chain(([queries, keys, width, valueWidth]) =>
    fc.record({
      query: tensorOf([queries, width]),
      key: tensorOf([keys, width]),
      value: tensorOf([keys, valueWidth]),
    }),
  );

/** The rows of `x` [L, D] in another order. */
export function permuteRows({ data, shape }: Data, order: readonly number[]): Data {
  const width = shape[1];
  const permuted = order.flatMap((row) => [...data.subarray(row * width, (row + 1) * width)]);
  return { data: Float32Array.from(permuted), shape };
}

/** An order of 0 .. count - 1. */
export function order(count: number): fc.Arbitrary<number[]> {
  const indices = Array.from({ length: count }, (_, index) => index);
  return fc.shuffledSubarray(indices, { minLength: count, maxLength: count });
}
