// What is to be reached, in one place.
import { median } from "./statistics.mjs";

// How the two sides make a ratio. A side is { ms, flops, bytes } of one round.
const COMPARE = {
  // how many times as fast
  speed: { higherIsBetter: true, value: (of, over) => over.ms / of.ms },
  // which part of the time
  time: { higherIsBetter: false, value: (of, over) => of.ms / over.ms },
  // which part of the operations, or bytes, in a second
  flops: { higherIsBetter: true, value: (of, over) => of.flops / of.ms / (over.flops / over.ms) },
  bytes: { higherIsBetter: true, value: (of, over) => of.bytes / of.ms / (over.bytes / over.ms) },
  // no ratio: the time of a call
  microseconds: { higherIsBetter: false, value: (of) => 1000 * of.ms },
};

// The sides: [contender, threads]. What runs in WebAssembly is found in Node or, with
// ", Chromium" for `place`, in a page.
const native1 = ["qkv native", 1];
const native2 = ["qkv native", 2];
const ortNode = ["onnxruntime-node", 1];
const peak = ["machine native", 1];
const wasm = (variant, threads) => (place) => [`qkv wasm ${variant}${place}`, threads];
const relaxed1 = wasm("relaxed", 1);
const relaxed2 = wasm("relaxed", 2);
const simd128 = wasm("simd128", 1);
const ortWeb = (place) => [`onnxruntime-web${place}`, 1];
const relaxedPeak = ["machine wasm relaxed", 1];
const simd128Peak = ["machine wasm simd128", 1];

// Shapes; a pair where the other side is another shape.
const square = ["bert", "long", "wide"];
const withCausal = [...square, "causal"];
const ofPeak = [["long", "fma"]];
const ofReading = [["decode", "read"]];
const decoding = ["decode", "decode-grouped"];

// Each row makes a ratio for each of its shapes:
// [name, comparison, shapes, side, other side, reach, dream]; null where there is no target.
const NATIVE = [
  ["native over onnxruntime-node", "speed", withCausal, native1, ortNode, 1.5, 1.9],
  ["native share of the FMA peak", "flops", ofPeak, native1, peak, 0.75, 0.88],
  ["native over onnxruntime-node", "speed", decoding, native1, ortNode, 1.8, null],
  ["native bytes a second over reading memory", "bytes", ofReading, native1, peak, null, 1],
  ["native over onnxruntime-node", "speed", ["small"], native1, ortNode, 3, null],
  ["native over onnxruntime-node", "speed", ["3x3"], native1, ortNode, 10, null],
  ["native microseconds", "microseconds", ["3x3"], native1, native1, 2, null],
  ["native, 2 threads over 1", "speed", withCausal, native2, native1, 1.8, 1.95],
  ["native over onnxruntime-node", "speed", ["layer"], native1, ortNode, 1.2, null],
  ...withinOne("native", native1),
];

const WASM = [
  ["wasm relaxed over onnxruntime-web", "speed", square, relaxed1, ortWeb, 2.5, 3.5],
  ["wasm simd128 over onnxruntime-web", "speed", square, simd128, ortWeb, 1.7, 2.3],
  ["wasm relaxed over onnxruntime-node", "speed", ["long"], relaxed1, ortNode, 0.65, 0.9],
  ["wasm relaxed share of its peak", "flops", ofPeak, relaxed1, relaxedPeak, 0.65, 0.8],
  ["wasm simd128 share of its peak", "flops", ofPeak, simd128, simd128Peak, 0.45, 0.6],
  ["wasm relaxed over onnxruntime-web", "speed", decoding, relaxed1, ortWeb, 2.5, null],
  ["wasm relaxed bytes a second over reading memory", "bytes", ofReading, relaxed1, peak, null, 1],
  ["wasm relaxed over onnxruntime-web", "speed", ["small"], relaxed1, ortWeb, 3, null],
  ["wasm relaxed over onnxruntime-web", "speed", ["3x3"], relaxed1, ortWeb, 10, null],
  ["wasm relaxed microseconds", "microseconds", ["3x3"], relaxed1, relaxed1, 5, null],
  ["wasm relaxed, 2 threads over 1", "speed", withCausal, relaxed2, relaxed1, 1.8, 1.95],
  ["wasm relaxed over onnxruntime-web", "speed", ["layer"], relaxed1, ortWeb, 1.8, null],
  ...withinOne("wasm relaxed", relaxed1),
  ...withinOne("wasm simd128", simd128),
];

// What a mask saves, and what a bias costs.
function withinOne(name, side) {
  const row = (what, of, over, reach, dream) => {
    return [`${name}, ${what}`, "time", [[of, over]], side, side, reach, dream];
  };
  return [
    row("causal over full", "causal", "long", 0.55, 0.52),
    row("window 256 over full", "window-8192", "full-8192", 0.09, 0.07),
    row("bias (1, 1, n, n) over none", "bias", "bert", 1.2, null),
  ];
}

// The ratios whose two sides were measured, each the median over the rounds.
export function ratiosOf(results) {
  return [
    ...NATIVE.flatMap((row) => ratiosOfRow(row, results, "")),
    ...["", ", Chromium"].flatMap((place) =>
      WASM.flatMap((row) => ratiosOfRow(row, results, place)),
    ),
  ];
}

// Whether a ratio needs this contender on this shape; those of Chromium are left out.
export function isNeeded({ name, threads }, shape) {
  return [...NATIVE, ...WASM].some(([, , shapes, side, otherSide]) =>
    shapes.some((pair) => {
      const [of, over] = sidesOf(pair, side, otherSide, "");
      const line = { shape: shape.name, contender: name, threads };
      return isOf(line, of) || isOf(line, over);
    }),
  );
}

function ratiosOfRow([name, compare, shapes, side, otherSide, reach, dream], results, place) {
  const { higherIsBetter, value } = COMPARE[compare];
  return shapes.flatMap((pair) => {
    const [of, over] = sidesOf(pair, side, otherSide, place).map((wanted) =>
      results.find((line) => line.error === undefined && isOf(line, wanted)),
    );
    const values = of && over ? perRound(of, over, value) : [];
    if (values.length === 0) return [];
    const title = `${name}${place}: ${of.shape}`;
    return [{ name: title, value: median(values), reach, dream, higherIsBetter }];
  });
}

// Both sides as [shape, contender, threads].
function sidesOf(pair, side, otherSide, place) {
  const [shape, otherShape] = Array.isArray(pair) ? pair : [pair, pair];
  const who = (side) => (typeof side === "function" ? side(place) : side);
  return [
    [shape, ...who(side)],
    [otherShape, ...who(otherSide)],
  ];
}

const isOf = (line, [shape, contender, threads]) =>
  line.shape === shape && line.contender === contender && line.threads === threads;

// Of the rounds in which both were measured.
function perRound(of, over, value) {
  return of.samples.flatMap((ms, round) => {
    const otherMs = over.samples[round];
    if (ms === undefined || otherMs === undefined) return [];
    return [value({ ...of.work, ms }, { ...over.work, ms: otherMs })];
  });
}
