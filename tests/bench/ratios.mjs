// What is to be reached, in one place: the ratios of the results, with their targets.
import { median } from "./statistics.mjs";

const native = (threads = 1) => ["qkv native", threads];
const wasm = (variant, threads = 1) => [`qkv wasm ${variant}`, threads];
const node = ["onnxruntime-node", 1];
const web = ["onnxruntime-web", 1];

const TABLE = [
  ...each(["bert", "long", "wide", "causal"], (shape) =>
    faster(`native over onnxruntime-node: ${shape}`, shape, native(), node, 1.5, 1.9),
  ),
  share("native share of the FMA peak: long", "long", native(), "fma", ["machine native", 1], 0.75, 0.88),
  ...each(["bert", "long", "wide"], (shape) =>
    faster(`wasm relaxed over onnxruntime-web: ${shape}`, shape, wasm("relaxed"), web, 2.5, 3.5),
  ),
  ...each(["bert", "long", "wide"], (shape) =>
    faster(`wasm simd128 over onnxruntime-web: ${shape}`, shape, wasm("simd128"), web, 1.7, 2.3),
  ),
  faster("wasm relaxed over onnxruntime-node: long", "long", wasm("relaxed"), node, 0.65, 0.9),
  share("wasm relaxed share of its peak: long", "long", wasm("relaxed"), "fma", ["machine wasm relaxed", 1], 0.65, 0.8),
  share("wasm simd128 share of its peak: long", "long", wasm("simd128"), "fma", ["machine wasm simd128", 1], 0.45, 0.6),
  ...ours((name, of) => part(`${name}: causal over full`, "causal", "long", of, 0.55, 0.52)),
  ...ours((name, of) => part(`${name}: window 256 in 8192 over full`, "window-8192", "full-8192", of, 0.09, 0.07)),
  ...each(["decode", "decode-grouped"], (shape) =>
    faster(`native over onnxruntime-node: ${shape}`, shape, native(), node, 1.8, null),
  ),
  ...each(["decode", "decode-grouped"], (shape) =>
    faster(`wasm relaxed over onnxruntime-web: ${shape}`, shape, wasm("relaxed"), web, 2.5, null),
  ),
  share("native decode over reading memory, bytes", "decode", native(), "read", ["machine native", 1], null, 1, "bytes"),
  share("wasm relaxed decode over reading memory, bytes", "decode", wasm("relaxed"), "read", ["machine native", 1], null, 1, "bytes"),
  ...each([["small", 3], ["3x3", 10]], ([shape, reach]) =>
    faster(`native over onnxruntime-node: ${shape}`, shape, native(), node, reach, null),
  ),
  ...each([["small", 3], ["3x3", 10]], ([shape, reach]) =>
    faster(`wasm relaxed over onnxruntime-web: ${shape}`, shape, wasm("relaxed"), web, reach, null),
  ),
  ...each(["bert", "long", "wide", "causal"], (shape) =>
    faster(`native, 2 threads over 1: ${shape}`, shape, native(2), native(1), 1.8, 1.95),
  ),
  ...each(["bert", "long", "wide", "causal"], (shape) =>
    faster(`wasm relaxed, 2 threads over 1: ${shape}`, shape, wasm("relaxed", 2), wasm("relaxed"), 1.8, 1.95),
  ),
  faster("native over onnxruntime-node: layer", "layer", native(), node, 1.2, null),
  faster("wasm relaxed over onnxruntime-web: layer", "layer", wasm("relaxed"), web, 1.8, null),
  ...ours((name, of) => part(`${name}: bias (1, 1, n, n) over none`, "bias", "bert", of, 1.2, null)),
];

function each(items, make) {
  return items.map(make);
}

function ours(make) {
  return [
    make("native", native()),
    make("wasm relaxed", wasm("relaxed")),
    make("wasm simd128", wasm("simd128")),
  ];
}

// How many times as fast.
function faster(name, shape, of, over, reach, dream) {
  return { name, reach, dream, higherIsBetter: true, sides: [[shape, ...over], [shape, ...of]], of: (a, b) => a.ms / b.ms };
}

// Which part of the time.
function part(name, shape, whole, of, reach, dream) {
  return { name, reach, dream, higherIsBetter: false, sides: [[shape, ...of], [whole, ...of]], of: (a, b) => a.ms / b.ms };
}

// Which part of what the machine can do, in operations or bytes a second.
function share(name, shape, of, probe, over, reach, dream, unit = "flops") {
  return {
    name,
    reach,
    dream,
    higherIsBetter: true,
    sides: [[shape, ...of], [probe, ...over]],
    of: (a, b) => a[unit] / a.ms / (b[unit] / b.ms),
  };
}

// The ratios whose two sides were measured, each the median over the rounds.
export function ratiosOf(results) {
  const find = ([shape, contender, threads]) =>
    results.find((line) => line.shape === shape && line.contender === contender && line.threads === threads);
  return TABLE.flatMap(({ name, reach, dream, higherIsBetter, sides, of }) => {
    const [a, b] = sides.map(find);
    if (!a?.samples || !b?.samples) return [];
    const values = a.samples.flatMap((ms, round) =>
      ms === undefined || b.samples[round] === undefined
        ? []
        : [of({ ...a.work, ms }, { ...b.work, ms: b.samples[round] })],
    );
    return values.length > 0 ? [{ name, value: median(values), reach, dream, higherIsBetter }] : [];
  });
}
