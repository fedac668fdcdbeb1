// Picking items and places, and what attention is compared with: a result by hand of each, options
// that reach the core, and a sentence.
import { mask } from "qkv";
import { describe, expect, it } from "vitest";
import { qkv } from "./support/qkv.js";

describe("hardAttention", () => {
  const query = [[1, 0]];
  const key = [
    [1, 0],
    [2, 0],
    [3, 0],
  ];
  const value = [[10], [20], [30]];

  it("gives the value of the best key", () => {
    expect(qkv.hardAttention(query, key, value).output.toArray()).toEqual([[30]]);
    expect(qkv.hardAttention(query, key, value, { scale: -1 }).output.toArray()).toEqual([[10]]);
  });

  it("knows masks", () => {
    const options = { mask: mask.keep([[true, true, false]]) };
    expect(qkv.hardAttention(query, key, value, options).output.toArray()).toEqual([[20]]);
  });

  it("draws a key by its seed", () => {
    const many = Array.from({ length: 50 }, () => [1, 0]);
    const draw = (seed: number) =>
      Array.from(qkv.hardAttention(many, key, value, { sample: { seed } }).output.data);
    expect(draw(1)).toEqual(draw(1));
    expect(draw(1)).not.toEqual(draw(2));
    expect(new Set(draw(1))).toEqual(new Set([10, 20, 30]));
  });

  it("names an option that it does not know", () => {
    // @ts-expect-error: no such option
    expect(() => qkv.hardAttention(query, key, value, { bias: 1 })).toThrow(/bias.*sample/);
  });
});

it("attentionPooling is the mean for a query of zeros", () => {
  const x = [
    [1, 2],
    [3, 6],
  ];
  expect(qkv.attentionPooling([[0, 0]], x).output.toArray()).toEqual([[2, 4]]);
  expect(() => qkv.attentionPooling([[0]], x)).toThrow(/1 in \[1, 1\].*2 in \[2, 2\]/);
});

describe("locationAttention", () => {
  const map = [
    [[1], [2], [3]],
    [[4], [5], [6]],
  ];

  it("weighs by Gaussians", () => {
    const { output } = qkv.locationAttention([[1], [2], [3]], {
      gaussian: { centers: [1, 0.5], widths: [1e6, 0.1] },
    });
    expect(output.shape).toEqual([2, 1]);
    expect(output.data[0]).toBeCloseTo(2, 5);
    expect(output.data[1]).toBeCloseTo(1.5, 5);
  });

  it("transforms a map", () => {
    const mirrored = [
      [-1, 0, 0],
      [0, 1, 0],
    ];
    const { output } = qkv.locationAttention(map, {
      affine: { theta: mirrored, height: 2, width: 3 },
    });
    expect(output.toArray()).toEqual([
      [[3], [2], [1]],
      [[6], [5], [4]],
    ]);
  });

  it("crops a glimpse", () => {
    const { output } = qkv.locationAttention(map, {
      glimpse: { center: [1, 2], height: 1, width: 3 },
    });
    expect(output.toArray()).toEqual([[[5], [6], [0]]]);
  });

  it("looks in one way at a time", () => {
    // @ts-expect-error: none
    expect(() => qkv.locationAttention(map, {})).toThrow(/gaussian, affine and glimpse.*0/);
    expect(() =>
      qkv.locationAttention(map, {
        affine: { theta: [[1, 0, 0]], height: 1, width: 1 },
        glimpse: { center: [0, 0], height: 1, width: 1 },
      }),
    ).toThrow(/saw 2/);
    expect(() =>
      qkv.locationAttention(map, { glimpse: { center: [0.5, 0], height: 1, width: 1 } }),
    ).toThrow(/center.*0\.5/);
  });
});

describe("conv1d", () => {
  const x = [[1], [10], [100], [1000]];
  const weight = [[[1, 2, 3]]];

  it("is centred, or begins where it is told to", () => {
    expect(Array.from(qkv.conv1d(x, weight).output.data)).toEqual([32, 321, 3210, 2100]);
    const causal = qkv.conv1d(x, weight, [0.5], { left: 2 });
    expect(Array.from(causal.output.data)).toEqual([3.5, 32.5, 321.5, 3210.5]);
  });

  it("names a place that the kernel does not have", () => {
    expect(() => qkv.conv1d(x, weight, undefined, { left: 3 })).toThrow(/left.*0 to 2.*3/);
  });

  it("is attention by fixed offsets, concatenated and projected", () => {
    const { output: bias } = qkv.offsetHeads({ length: 4, size: 3 });
    const zeros = Array.from({ length: 3 }, () => Array.from({ length: 4 }, () => [0]));
    const { output } = qkv.attention(zeros, zeros, [x], { bias });
    const heads = { data: output.data, shape: [4, 3], strides: [1, 4] };
    const projected = qkv.linear(heads, [[1, 2, 3]]);
    expect(Array.from(projected.data)).toEqual(Array.from(qkv.conv1d(x, weight).output.data));
  });
});

it("rnn goes step by step, from a state", () => {
  const { output } = qkv.rnn([[1], [0]], [[1]], [[2]]);
  expect(output.data[0]).toBeCloseTo(Math.tanh(1), 6);
  expect(output.data[1]).toBeCloseTo(Math.tanh(2 * Math.tanh(1)), 6);
  const started = qkv.rnn([[1]], [[1]], [[2]], [0.25], { start: [0.5] });
  expect(started.output.data[0]).toBeCloseTo(Math.tanh(2.25), 6);
  expect(() => qkv.rnn([[1]], [[1]], [[2, 3]])).toThrow(/hiddenWeight.*\[1, 1\].*\[1, 2\]/);
});
