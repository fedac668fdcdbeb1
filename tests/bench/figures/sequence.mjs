// Long sequences, one head of width 64: time and memory of a call with all pairs and of one with a
// window, each in a fresh process. Memory must not grow with the square of the length.
import { idOf } from "../contenders.mjs";
import { attention, elements } from "../shapes.mjs";
import { difference } from "../statistics.mjs";

export const names = ["sequence"];

const MEBIBYTE = 2 ** 20;
const TOLERANCE = 1e-4;

export async function measure({ chosen, opener, quick, say }) {
  const length = quick ? 16384 : 65536;
  const sizes = [1, 1, length, length, 64];
  const full = attention(`full-${length}`, sizes);
  const window = attention(`window-${length}`, sizes, {
    mask: { kind: "window", left: 256, right: 256 },
  });
  const results = [];
  const ratios = [];
  const outputs = new Map();
  for (const contender of chosen.filter((contender) => takes(contender, quick))) {
    const lines = [];
    for (const shape of [window, full]) {
      say(`${shape.name}: ${idOf(contender)}`);
      const line = await one(contender, shape, opener, outputs);
      if (line) lines.push(line);
    }
    results.push(...lines);
    if (lines.length === 2) ratios.push(...ratiosOf(contender, lines, full, quick));
  }
  return { results, ratios };
}

function takes({ name, threads, host }, quick) {
  if (name === "qkv native") return threads === 2;
  if (host !== "node" || threads > 1) return false;
  return name === "qkv wasm relaxed" || (name === "qkv wasm simd128" && !quick);
}

async function one(contender, shape, opener, outputs) {
  const connection = await opener.tryOpen(contender);
  if (!connection) return null;
  const { name, threads } = contender;
  const line = { shape: shape.name, contender: name, threads };
  const { firstMs } = await connection.send({ do: "prepare", shape });
  const { ms } =
    firstMs > 3000
      ? { ms: firstMs }
      : await connection.send({ do: "warm", name: shape.name, milliseconds: 1 });
  const { bytes: peakBytes } = await connection.send({ do: "memory" });
  const output = await connection.output(shape.name);
  await connection.close();
  const expected = outputs.get(shape.name) ?? output;
  outputs.set(shape.name, expected);
  const apart = difference(expected, output);
  if (!(apart <= TOLERANCE))
    return { ...line, error: `its output differs from the first one's by ${apart}` };
  const medianMs = Math.min(firstMs, ms);
  return {
    ...line,
    firstMs,
    medianMs,
    spread: null,
    gflops: shape.flops / medianMs / 1e6,
    peakBytes,
  };
}

function ratiosOf({ name, threads }, [window, full], shape, quick) {
  const length = shape.query.at(-2);
  if (window.error || full.error) return [];
  const who = `${name.replace("qkv ", "")}${threads > 1 ? `, ${threads} threads` : ""}`;
  const inputAndOutput = 4 * 4 * elements(shape.query);
  const most = Math.max(window.peakBytes, full.peakBytes) - inputAndOutput;
  return [
    {
      name: `${who}: window 256 in ${length} over full`,
      value: window.medianMs / full.medianMs,
      // Of 65536 keys a query sees 1 in 128; of fewer it sees more.
      reach: quick ? null : 1 / 50,
      dream: null,
      higherIsBetter: false,
    },
    {
      name: `${who}: MiB beyond input and output, ${length} tokens`,
      value: most / MEBIBYTE,
      reach: 64,
      dream: null,
      higherIsBetter: false,
    },
  ];
}
