import { expect, it } from "vitest";
import { qkv } from "./support/qkv.js";

it("linearAttention weighs by products of features", () => {
  // elu(1) + 1 = 2 and elu(0) + 1 = 1: (1 * 1 + 2 * 3) / (1 + 2).
  const { output, state } = qkv.linearAttention([[1]], [[0], [1]], [[1], [3]]);
  expect(output.shape).toEqual([1, 1]);
  expect(output.data[0]).toBeCloseTo(7 / 3, 6);
  expect(state).toBeUndefined();
});

it("linearAttention leaves padded keys out after the feature map", () => {
  const { output } = qkv.linearAttention([[0]], [[0], [0]], [[1], [100]], { keyLengths: [1] });
  expect(output.toArray()).toEqual([[1]]);
});

it("linearAttention goes on token by token from its state", () => {
  const all = qkv.linearAttention([[1], [2], [3]], [[1], [0], [-1]], [[5], [6], [7]], {
    featureMap: "identity",
    causal: true,
  });
  expect(all.output.toArray()).toEqual([[5], [10], [-6]]);
  let state = qkv.linearAttention([[1], [2]], [[1], [0]], [[5], [6]], {
    featureMap: "identity",
    causal: true,
  }).state;
  const last = qkv.linearAttention([[3]], [[-1]], [[7]], {
    featureMap: "identity",
    causal: true,
    state,
  });
  state = last.state;
  expect(last.output.toArray()).toEqual([[-6]]);
  expect(state?.toArray()).toEqual(all.state?.toArray());
});

it("linearAttention takes random features by number, seed and projection", () => {
  const key = [
    [1, 0],
    [0, 1],
  ];
  const run = (favor: { features?: number; seed?: number; projection?: number[][] }) =>
    qkv.linearAttention(key, key, key, { featureMap: { favor } }).output;
  const drawn = run({ features: 8, seed: 3 }).toArray();
  expect(run({ features: 8, seed: 3 }).toArray()).toEqual(drawn);
  expect(run({ features: 8, seed: 4 }).toArray()).not.toEqual(drawn);
  // Without any projection every key weighs exp(-|k|^2 / 2), the same here.
  expect(run({ projection: [[0, 0]] }).toArray()).toEqual([
    [0.5, 0.5],
    [0.5, 0.5],
  ]);
  const fourier = { sigma: 2, projection: [[0, 0]] };
  expect(qkv.linearAttention(key, key, key, { featureMap: { fourier } }).output.toArray()).toEqual([
    [0.5, 0.5],
    [0.5, 0.5],
  ]);
});

it("linearAttention says what it cannot do", () => {
  const x = [[1]];
  expect(() => qkv.linearAttention(x, x, x, { featureMap: "softmax", causal: true })).toThrow(
    /causal.*softmax/,
  );
  expect(() => qkv.linearAttention(x, x, x, { keyLengths: [2] })).toThrow(/keyLengths.*0 to 1.*2/);
  expect(() => qkv.linearAttention(x, x, x, { featureMap: { fourier: { sigma: -1 } } })).toThrow(
    /featureMap\.fourier\.sigma.*-1/,
  );
});
