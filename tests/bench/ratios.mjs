// What is to be reached, in one place. Each row makes a ratio for each of its shapes; `reach` and
// `dream` are the targets, null where there is none.
import { median } from "./statistics.mjs";

const native = (threads = 1) => ["qkv native", threads];
const wasm =
  (variant, threads = 1) =>
  (place) => [`qkv wasm ${variant}${place}`, threads];
const onnxruntimeNode = ["onnxruntime-node", 1];
const onnxruntimeWeb = (place) => [`onnxruntime-web${place}`, 1];
const machine = (what) => [`machine ${what}`, 1];

const SQUARE = ["bert", "long", "wide"];

// How the two sides make a ratio. A side is { ms, flops, bytes } of one round; the second one is
// the same contender on another shape where a row names none.
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

const NATIVE = [
  {
    name: "native over onnxruntime-node",
    ...{ shapes: [...SQUARE, "causal"], compare: "speed", of: native(), over: onnxruntimeNode },
    ...{ reach: 1.5, dream: 1.9 },
  },
  {
    name: "native share of the FMA peak",
    ...{ shapes: [["long", "fma"]], compare: "flops", of: native(), over: machine("native") },
    ...{ reach: 0.75, dream: 0.88 },
  },
  {
    name: "native over onnxruntime-node",
    ...{ shapes: ["decode", "decode-grouped"], compare: "speed" },
    ...{ of: native(), over: onnxruntimeNode, reach: 1.8, dream: null },
  },
  {
    name: "native bytes a second over reading memory",
    ...{ shapes: [["decode", "read"]], compare: "bytes", of: native(), over: machine("native") },
    ...{ reach: null, dream: 1 },
  },
  {
    name: "native over onnxruntime-node",
    ...{ shapes: ["small"], compare: "speed", of: native(), over: onnxruntimeNode },
    ...{ reach: 3, dream: null },
  },
  {
    name: "native over onnxruntime-node",
    ...{ shapes: ["3x3"], compare: "speed", of: native(), over: onnxruntimeNode },
    ...{ reach: 10, dream: null },
  },
  {
    name: "native microseconds",
    ...{ shapes: ["3x3"], compare: "microseconds", of: native(), reach: 2, dream: null },
  },
  {
    name: "native, 2 threads over 1",
    ...{ shapes: [...SQUARE, "causal"], compare: "speed", of: native(2), over: native() },
    ...{ reach: 1.8, dream: 1.95 },
  },
  {
    name: "native over onnxruntime-node",
    ...{ shapes: ["layer"], compare: "speed", of: native(), over: onnxruntimeNode },
    ...{ reach: 1.2, dream: null },
  },
  ...withinOne("native", native()),
];

// In Node; most of it in Chromium as well.
const WASM = [
  {
    name: "wasm relaxed over onnxruntime-web",
    ...{ shapes: SQUARE, compare: "speed", of: wasm("relaxed"), over: onnxruntimeWeb },
    ...{ reach: 2.5, dream: 3.5 },
  },
  {
    name: "wasm simd128 over onnxruntime-web",
    ...{ shapes: SQUARE, compare: "speed", of: wasm("simd128"), over: onnxruntimeWeb },
    ...{ reach: 1.7, dream: 2.3 },
  },
  {
    name: "wasm relaxed over onnxruntime-node, native",
    ...{ shapes: ["long"], compare: "speed", of: wasm("relaxed"), over: onnxruntimeNode },
    ...{ reach: 0.65, dream: 0.9 },
  },
  {
    name: "wasm relaxed share of its peak",
    ...{ shapes: [["long", "fma"]], compare: "flops" },
    ...{ of: wasm("relaxed"), over: machine("wasm relaxed"), reach: 0.65, dream: 0.8 },
  },
  {
    name: "wasm simd128 share of its peak",
    ...{ shapes: [["long", "fma"]], compare: "flops" },
    ...{ of: wasm("simd128"), over: machine("wasm simd128"), reach: 0.45, dream: 0.6 },
  },
  {
    name: "wasm relaxed over onnxruntime-web",
    ...{ shapes: ["decode", "decode-grouped"], compare: "speed" },
    ...{ of: wasm("relaxed"), over: onnxruntimeWeb, reach: 2.5, dream: null },
  },
  {
    name: "wasm relaxed bytes a second over reading memory",
    ...{ shapes: [["decode", "read"]], compare: "bytes" },
    ...{ of: wasm("relaxed"), over: machine("native"), reach: null, dream: 1 },
  },
  {
    name: "wasm relaxed over onnxruntime-web",
    ...{ shapes: ["small"], compare: "speed", of: wasm("relaxed"), over: onnxruntimeWeb },
    ...{ reach: 3, dream: null },
  },
  {
    name: "wasm relaxed over onnxruntime-web",
    ...{ shapes: ["3x3"], compare: "speed", of: wasm("relaxed"), over: onnxruntimeWeb },
    ...{ reach: 10, dream: null },
  },
  {
    name: "wasm relaxed microseconds",
    ...{ shapes: ["3x3"], compare: "microseconds", of: wasm("relaxed"), reach: 5, dream: null },
  },
  {
    name: "wasm relaxed, 2 threads over 1",
    ...{ shapes: [...SQUARE, "causal"], compare: "speed" },
    ...{ of: wasm("relaxed", 2), over: wasm("relaxed"), reach: 1.8, dream: 1.95 },
  },
  {
    name: "wasm relaxed over onnxruntime-web",
    ...{ shapes: ["layer"], compare: "speed", of: wasm("relaxed"), over: onnxruntimeWeb },
    ...{ reach: 1.8, dream: null },
  },
  ...withinOne("wasm relaxed", wasm("relaxed")),
  ...withinOne("wasm simd128", wasm("simd128")),
];

// What a mask saves, and what a bias costs.
function withinOne(name, of) {
  const rows = [
    { name: "causal over full", shapes: [["causal", "long"]], reach: 0.55, dream: 0.52 },
    {
      name: "window 256 over full",
      shapes: [["window-8192", "full-8192"]],
      reach: 0.09,
      dream: 0.07,
    },
    { name: "bias (1, 1, n, n) over none", shapes: [["bias", "bert"]], reach: 1.2, dream: null },
  ];
  return rows.map((row) => ({
    ...row,
    name: `${name}, ${row.name}`,
    compare: "time",
    of,
    over: of,
  }));
}

// The ratios whose two sides were measured, each the median over the rounds.
export function ratiosOf(results) {
  return [
    ...NATIVE.flatMap((row) => ratiosOfRow(row, results, "")),
    ...WASM.flatMap((row) => ratiosOfRow(row, results, "")),
    ...WASM.flatMap((row) => ratiosOfRow(row, results, ", Chromium")),
  ];
}

function ratiosOfRow({ name, shapes, compare, of, over = of, reach, dream }, results, place) {
  const { higherIsBetter, value } = COMPARE[compare];
  const samplesOf = (shape, side) => {
    const [contender, threads] = typeof side === "function" ? side(place) : side;
    return results.find(
      (line) => line.shape === shape && line.contender === contender && line.threads === threads,
    );
  };
  return shapes.flatMap((pair) => {
    const [shape, base] = Array.isArray(pair) ? pair : [pair, pair];
    const [a, b] = [samplesOf(shape, of), samplesOf(base, over)];
    const rounds = Math.min(a?.samples?.length ?? 0, b?.samples?.length ?? 0);
    const values = Array.from({ length: rounds }, (_, round) => round)
      .filter((round) => a.samples[round] !== undefined && b.samples[round] !== undefined)
      .map((round) =>
        value({ ...a.work, ms: a.samples[round] }, { ...b.work, ms: b.samples[round] }),
      );
    if (values.length === 0) return [];
    const title = `${name}${place}: ${shape}`;
    return [{ name: title, value: median(values), reach, dream, higherIsBetter }];
  });
}
