import { mask } from "qkv";
import { expect, it } from "vitest";
import { expectClose } from "./support/compare.js";
import { qkv } from "./support/qkv.js";

const eye = [
  [1, 0],
  [0, 1],
];
// Tokens along the two axes, by turns, and values that tell them apart.
const axes = [
  [1, 0],
  [0, 1],
  [2, 0],
  [0, 2],
];
const values = [[1], [10], [100], [1000]];

it("topKAttention keeps the largest weights", () => {
  const { output } = qkv.topKAttention([[1, 3]], eye, [[5], [7]], { k: 1 });
  expect(output.toArray()).toEqual([[7]]);
  const options = { k: 1, mask: mask.causal() };
  expect(qkv.topKAttention([[1, 3]], eye, [[5], [7]], options).output.toArray()).toEqual([[5]]);
});

it("topKAttention divides what is left by its sum", () => {
  const { output } = qkv.topKAttention([[1, 1]], [...eye, [-9, -9]], [[2], [4], [100]], {
    threshold: 0.1,
    scale: 1,
  });
  expectClose(output, { shape: [1, 1], data: [3] });
});

it("topKAttention wants k or a threshold", () => {
  expect(() => qkv.topKAttention(eye, eye, eye, {})).toThrow(/k.*threshold/);
  expect(() => qkv.topKAttention(eye, eye, eye, { k: 0 })).toThrow(/\b0\b/);
});

it("clusteredAttention stays inside a cluster", () => {
  const { output } = qkv.clusteredAttention(axes, axes, values, {
    queryClusters: [0, 1, 2, 3],
    keyClusters: [0, 1, 2, 3],
  });
  expect(output.toArray()).toEqual(values);
  const none = qkv.clusteredAttention(axes, axes, values, {
    queryClusters: [5, 5, 5, 5],
    keyClusters: [0, 1, 2, 3],
  });
  expect(none.output.toArray()).toEqual([[0], [0], [0], [0]]);
});

it("clusteredAttention needs both lists", () => {
  const options = { queryClusters: [0, 0, 0, 0], keyClusters: [0, 0] };
  expect(() => qkv.clusteredAttention(axes, axes, values, options)).toThrow(/keyClusters/);
});

it("sinkhornAttention gives the sorting of its blocks", () => {
  const { output, sorting } = qkv.sinkhornAttention(axes, axes, values, {
    blockSize: 2,
    sortWeights: [
      [1, 0],
      [0, 1],
      [1, 0],
      [0, 1],
    ],
    iterations: 3,
    temperature: 1,
  });
  expect(output.shape).toEqual([4, 1]);
  expect(sorting.shape).toEqual([2, 2]);
});

it("sinkhornAttention names what does not fit", () => {
  const options = { blockSize: 0, sortWeights: eye };
  expect(() => qkv.sinkhornAttention(axes, axes, values, options)).toThrow(/blockSize.*\b0\b/);
});

it("lshAttention gives each token its bucket in every round", () => {
  const { output, buckets } = qkv.lshAttention(axes, values, {
    buckets: 4,
    chunkSize: 1,
    rotations: { data: [1, 0, 0, 1], shape: [2, 1, 2] },
  });
  expect(buckets.toArray()).toEqual([[0, 1, 0, 1]]);
  // The order is 0, 2, 1, 3: each sees the one before it, the first the last.
  expect(output.toArray()).toEqual([[1000], [100], [1], [10]]);
});

it("lshAttention of few tokens is exact, and causal by position", () => {
  const options = { buckets: 2, chunkSize: 4, rounds: 3, seed: 5, causal: true };
  const { output, buckets } = qkv.lshAttention(axes, values, options);
  expect(buckets.shape).toEqual([3, 4]);
  expect(output.data[0]).toBe(1);
  expect(output.data[1]).toBe(1);
});

it("lshAttention refuses odd buckets, and a seed beside rotations", () => {
  expect(() => qkv.lshAttention(axes, values, { buckets: 3, chunkSize: 1 })).toThrow(/buckets.*3/);
  const both = { buckets: 2, chunkSize: 1, seed: 1, rotations: [[[1]], [[1]]] };
  expect(() => qkv.lshAttention(axes, values, both)).toThrow(/seed.*rotations/);
});

it("routingAttention lets each centroid take its tokens", () => {
  const { output, clusters } = qkv.routingAttention(axes, values, {
    centroids: [[1, 0]],
    windowSize: 2,
  });
  expect(clusters.toArray()).toEqual([[1, 0, 1, 0]]);
  expect(output.toArray()).toEqual([[100], [0], [1], [0]]);
  const causal = qkv.routingAttention(axes, values, {
    centroids: [[1, 0]],
    windowSize: 2,
    causal: true,
  });
  expect(causal.output.toArray()).toEqual([[1], [0], [1], [0]]);
});

it("routingAttention names the window that is none", () => {
  expect(() => qkv.routingAttention(axes, values, { centroids: eye, windowSize: 0 })).toThrow(
    /windowSize.*0/,
  );
});

it("kMeans finds the axes", () => {
  const { centroids, clusters } = qkv.kMeans(axes.slice(0, 2), { clusters: 2, seed: 3 });
  expect(clusters.data[0]).not.toBe(clusters.data[1]);
  const first = clusters.data[0];
  expect(centroids.toArray()).toEqual(first === 0 ? eye : [eye[1], eye[0]]);
});

it("kMeans needs a number of clusters", () => {
  expect(() => qkv.kMeans(axes, { clusters: 0 })).toThrow(/clusters.*0/);
  expect(() => qkv.kMeans(axes, { clusters: 1, iterations: -1 })).toThrow(/iterations.*-1/);
});
