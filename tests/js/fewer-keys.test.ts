import { expect, it } from "vitest";
import { qkv } from "./support/qkv.js";

const x = [
  [1, 0],
  [0, 1],
  [2, 2],
];
const identity = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];
// [out, in, kernel]: each feature passes as it is.
const pass = [
  [[1], [0]],
  [[0], [1]],
];

it("linformer weighs the projected values", () => {
  // One key in the place of three: whatever its score, its weight is 1.
  const { output } = qkv.linformer(x, x, x, { keyProjection: [[1, 2, 3]] });
  expect(output.toArray()).toEqual([
    [7, 8],
    [7, 8],
    [7, 8],
  ]);
});

it("linformer takes another projection for the values", () => {
  const { output } = qkv.linformer(x, x, x, {
    keyProjection: [[1, 1, 1]],
    valueProjection: [[0, 0, 1]],
  });
  expect(output.toArray<number[][]>()[0]).toEqual([2, 2]);
});

it("linformer with the identity is exact attention", () => {
  const { output } = qkv.linformer(x, x, x, { keyProjection: identity });
  expect(output.toArray()).toEqual(qkv.attention(x, x, x).output.toArray());
});

it("linformer names the columns that do not fit", () => {
  expect(() => qkv.linformer(x, x, x, { keyProjection: [[1, 2]] })).toThrow(
    /keyProjection.*\[K, 3\].*\[1, 2\]/,
  );
});

it("compressed attention with windows of one token is exact attention", () => {
  const { output } = qkv.compressedAttention(x, x, x, {
    stride: 1,
    kernelSize: 1,
    keyKernel: pass,
    valueKernel: pass,
  });
  expect(output.toArray()).toEqual(qkv.attention(x, x, x).output.toArray());
});

it("compressed attention shows a window from its last token on", () => {
  // Sums of two tokens: windows {none, 0} and {1, 2}, of which query 1 sees the first.
  const sums = [
    [
      [1, 1],
      [0, 0],
    ],
    [
      [0, 0],
      [1, 1],
    ],
  ];
  const options = { stride: 2, kernelSize: 2, keyKernel: sums, valueKernel: sums, causal: true };
  const { output } = qkv.compressedAttention(x, x, x, options);
  expect(output.toArray<number[][]>().slice(0, 2)).toEqual([
    [1, 0],
    [1, 0],
  ]);
});

it("compressed attention puts a null key before the windows", () => {
  const options = {
    stride: 3,
    kernelSize: 1,
    keyKernel: pass,
    valueKernel: pass,
    nullKey: [0, 0],
    nullValue: [5, 6],
    causal: true,
  };
  const { output } = qkv.compressedAttention(x, x, x, options);
  expect(output.toArray<number[][]>().slice(0, 2)).toEqual([
    [5, 6],
    [5, 6],
  ]);
});

it("compressed attention refuses half of a null key", () => {
  const options = {
    stride: 1,
    kernelSize: 1,
    keyKernel: pass,
    valueKernel: pass,
    nullKey: [0, 0],
  };
  expect(() => qkv.compressedAttention(x, x, x, options)).toThrow(/nullKey/);
  expect(() => qkv.compressedAttention(x, x, x, { ...options, stride: 0 })).toThrow(
    /stride.*1.*0/,
  );
});
