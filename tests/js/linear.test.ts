import { expect, it } from "vitest";
import { qkv } from "./support/qkv.js";

it("linear multiplies by the transposed weight and adds the bias", () => {
  const x = [
    [1, 2],
    [3, 4],
    [5, 6],
  ];
  const weight = [
    [1, 0],
    [0, 1],
    [1, 1],
    [2, -1],
  ];
  const want = [
    [11, 22, 33, 40],
    [13, 24, 37, 42],
    [15, 26, 41, 44],
  ];
  expect(qkv.linear(x, weight, [10, 20, 30, 40]).toArray()).toEqual(want);
});

it("linear reads a weight that is stored the other way through its strides", () => {
  const stored = Float32Array.of(1, 2, 3, 4, 5, 6); // [2 inputs, 3 outputs]
  const weight = { data: stored, shape: [3, 2], strides: [1, 3] };
  expect(qkv.linear([[1, 10]], weight).toArray()).toEqual([[41, 52, 63]]);
});

it("linear names the widths that do not fit", () => {
  expect(() => qkv.linear([[1, 2, 3]], [[1, 2]])).toThrow(/\[1, 3\].*\[1, 2\]/);
});
