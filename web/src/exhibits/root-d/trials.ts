// Random queries and keys: what their dot products do to softmax, with and without the division.
import type { Calculator } from "../../lib/calculator";
import type { Core } from "../../lib/core.svelte";
import { fromRows, matrix, transposed } from "../../lib/matrix";

export const KEYS = 10;
export const TRIALS = 4000;
export const CHUNK = 100;

/** The histogram reaches so many deviations to either side of 0. */
const DEVIATIONS = 4;
export const BINS = 33;

export interface Chunk {
  /** Means over the chunk's trials: the square of a dot product, and what softmax makes of them. */
  readonly square: number;
  readonly largest: number;
  readonly bits: number;
  readonly largestScaled: number;
  readonly bitsScaled: number;
  readonly counts: readonly number[];
}

export interface Summary {
  readonly trials: number;
  readonly means: Omit<Chunk, "counts">;
  readonly counts: readonly number[];
}

const MEANS = ["square", "largest", "bits", "largestScaled", "bitsScaled"] as const;

/** Dot products of `trials` random queries, each with KEYS random keys; all of deviation 1. */
export function dots(core: Core, dim: number, trials: number, seed: number): Float32Array {
  const draw = (rows: number, stream: number) =>
    core.position.learned({ length: rows, dim, seed: 2 * seed + stream }).data;
  const shape = (rows: number) => [trials, rows, dim];
  const { scores } = core.attention(
    { data: draw(trials, 0), shape: shape(1) },
    { data: draw(trials * KEYS, 1), shape: shape(KEYS) },
    { data: new Float32Array(trials * KEYS), shape: [trials, KEYS, 1] },
    // Both were drawn with a deviation of 0.02; this makes it 1.
    { score: "dot", scale: 2500, returns: { scores: true } },
  );
  return scores.data;
}

/** Largest weight and entropy of each trial's softmax, on average. */
function softmax(core: Core, scores: Float32Array, trials: number, scale: number) {
  const ones = { data: new Float32Array(trials).fill(1), shape: [trials, 1, 1] };
  const keys = (data: Float32Array) => ({ data, shape: [trials, KEYS, 1] });
  const { weights, output, logSumExp } = core.attention(ones, keys(scores), keys(scores), {
    score: "dot",
    scale,
    returns: { weights: true, logSumExp: true },
  });
  const largest = core.attention(ones, keys(weights.data), keys(weights.data), {
    score: "dot",
    normalizer: "hard",
  }).output;
  const mean = (data: Float32Array, factor: number) =>
    core.linear(
      { data, shape: [1, trials] },
      { data: new Float32Array(trials).fill(factor / trials), shape: [1, trials] },
    ).data[0]!;
  // Entropy: log of the sum of exponentials, less the mean score; in bits.
  const entropy = core.linear(
    { data: Float32Array.of(mean(logSumExp.data, 1), mean(output.data, 1)), shape: [1, 2] },
    { data: Float32Array.of(1 / Math.LN2, -scale / Math.LN2), shape: [1, 2] },
  ).data[0]!;
  return { largest: mean(largest.data, 1), bits: entropy, first: weights.data.slice(0, KEYS) };
}

function histogram(scores: Float32Array, dim: number): number[] {
  const counts = new Array<number>(BINS).fill(0);
  const reach = DEVIATIONS * Math.sqrt(dim);
  for (const score of scores) {
    const bin = Math.floor(((score + reach) / (2 * reach)) * BINS);
    counts[Math.min(BINS - 1, Math.max(0, bin))]! += 1;
  }
  return counts;
}

/** The dot products of a bin lie around this. */
export const middleOf = (bin: number, dim: number): number =>
  (((bin + 0.5) / BINS) * 2 - 1) * DEVIATIONS * Math.sqrt(dim);

export function chunk(core: Core, dim: number, seed: number): Chunk {
  const scores = dots(core, dim, CHUNK, seed);
  const flat = { data: scores, shape: [1, scores.length] };
  const plain = softmax(core, scores, CHUNK, 1);
  const scaled = softmax(core, scores, CHUNK, 1 / Math.sqrt(dim));
  return {
    square: core.linear(flat, flat).data[0]! / scores.length,
    largest: plain.largest,
    bits: plain.bits,
    largestScaled: scaled.largest,
    bitsScaled: scaled.bits,
    counts: histogram(scores, dim),
  };
}

/** One trial, to look at. */
export function example(core: Core, dim: number) {
  const scores = dots(core, dim, 1, 1);
  return {
    scores,
    plain: softmax(core, scores, 1, 1).first,
    scaled: softmax(core, scores, 1, 1 / Math.sqrt(dim)).first,
  };
}

export function summary(calculator: Calculator, chunks: readonly Chunk[]): Summary {
  const rows = fromRows(chunks.map((each) => MEANS.map((name) => each[name])));
  const ones = matrix(1, chunks.length, new Float32Array(chunks.length).fill(1));
  const means = calculator.dots(ones, transposed(rows), 1 / chunks.length).data;
  return {
    trials: chunks.length * CHUNK,
    means: Object.fromEntries(MEANS.map((name, i) => [name, means[i]!])) as Summary["means"],
    counts: Array.from({ length: BINS }, (_, bin) =>
      chunks.reduce((sum, { counts }) => sum + (counts[bin] ?? 0), 0),
    ),
  };
}
