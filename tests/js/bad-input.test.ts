// Each mistake: the error's code, the words of its sentence, and that nothing has leaked.
import { mask, QkvError, type QkvErrorCode, type TensorLike } from "qkv";
import { describe, expect, it } from "vitest";
import { qkv } from "./support/qkv.js";

// Calls as JavaScript sees them, where no compiler stops a mistake.
type Loose = (...args: unknown[]) => unknown;
const attention = qkv.attention as unknown as Loose;
const maskMatrix = qkv.maskMatrix as unknown as Loose;
const tensor = qkv.tensor as unknown as Loose;
const position = qkv.position as unknown as Record<string, Loose>;
const masks = mask as unknown as Record<string, Loose>;
const layer = (config: unknown) =>
  new (qkv.MultiHeadAttention as new (config: unknown) => object)(config);
const encoding = (config: unknown) =>
  new (qkv.PositionalEncoding as new (config: unknown) => { forward: Loose })(config);

const x = [
  [1, 2],
  [3, 4],
  [5, 6],
];
const zeros = (...shape: number[]) => ({
  data: new Float32Array(shape.reduce((product, size) => product * size, 1)),
  shape,
});
const withMask = (given: unknown) => attention(x, x, x, { mask: given });
const sizes = { queryLength: 3, keyLength: 3 };

type Case = readonly [
  what: string,
  code: QkvErrorCode,
  words: readonly string[],
  call: () => unknown,
];

const cases: readonly Case[] = [
  // Tensors
  ["a vector for a matrix", "shape", ["query", "1"], () => attention([1, 2], x, x)],
  ["nothing for a tensor", "argument", ["key"], () => attention(x, undefined, x)],
  ["null for a tensor", "argument", ["value"], () => attention(x, x, null)],
  ["a word for a tensor", "argument", ["query", '"abc"'], () => attention("abc", x, x)],
  ["a number for a tensor", "argument", ["query", "5"], () => attention(5, x, x)],
  [
    "a word among numbers",
    "argument",
    ["key", '"abc"', "[0][1]"],
    () => attention(x, [[1, "abc"]], x),
  ],
  [
    "ragged rows",
    "argument",
    ["2", "3", "[1]"],
    () =>
      attention(
        [
          [1, 2],
          [3, 4, 5],
        ],
        x,
        x,
      ),
  ],
  ["a bigint among numbers", "argument", ["bigint", "[0]"], () => tensor([1n, 2n])],
  [
    "big integers",
    "argument",
    ["BigInt64Array"],
    () => tensor({ data: new BigInt64Array(2), shape: [2] }),
  ],
  ["a function", "argument", ["function"], () => tensor(() => 1)],
  ["a Map", "argument", ["Map"], () => tensor(new Map())],
  ["booleans for numbers", "argument", ["query"], () => attention([[true, false]], x, x)],
  ["data without a shape", "argument", ["shape"], () => tensor({ data: new Float32Array(2) })],
  [
    "a shape larger than the data",
    "shape",
    ["4", "[3, 2]"],
    () => tensor({ data: new Float32Array(4), shape: [3, 2] }),
  ],
  [
    "2^32 elements",
    "shape",
    ["65536", "4"],
    () => tensor({ data: new Float32Array(4), shape: [65536, 65536] }),
  ],
  ["a negative size", "shape", ["-1"], () => tensor({ data: new Float32Array(4), shape: [-1, 4] })],
  [
    "strides past the end",
    "shape",
    ["4"],
    () => tensor({ data: new Float32Array(4), shape: [2, 2], strides: [3, 1] }),
  ],
  [
    "negative strides",
    "shape",
    ["-2"],
    () => tensor({ data: new Float32Array(4), shape: [2, 2], strides: [-2, 1] }),
  ],
  [
    "strides of another rank",
    "argument",
    ["1", "2"],
    () => tensor({ data: new Float32Array(4), shape: [2, 2], strides: [1] }),
  ],
  ["nine axes", "shape", ["9", "8"], () => tensor(zeros(1, 1, 1, 1, 1, 1, 1, 1, 1))],
  ["an array in itself", "argument", ["without end"], () => tensor(cycle())],
  // Shapes of attention
  ["widths that differ", "shape", ["2", "3"], () => attention(x, zeros(3, 3), x)],
  ["lengths that differ", "shape", ["3", "4"], () => attention(x, zeros(3, 2), zeros(4, 2))],
  [
    "heads that do not divide",
    "shape",
    ["4", "3"],
    () => attention(zeros(4, 2, 2), zeros(3, 2, 2), zeros(3, 2, 2)),
  ],
  [
    "heads of key and value",
    "shape",
    ["2", "4"],
    () => attention(zeros(4, 2, 2), zeros(2, 2, 2), zeros(4, 2, 2)),
  ],
  [
    "batches that differ",
    "shape",
    ["[2, 1, 2, 2]", "[3, 1, 2, 2]"],
    () => attention(zeros(2, 1, 2, 2), zeros(3, 1, 2, 2), zeros(3, 1, 2, 2)),
  ],
  // Options of attention
  ["options that are none", "argument", ["options", "5"], () => attention(x, x, x, 5)],
  ["an unknown option", "argument", ["sacle"], () => attention(x, x, x, { sacle: 1 })],
  [
    "an unknown score",
    "argument",
    ["score", "scaled", "cosine"],
    () => attention(x, x, x, { score: "scaled" }),
  ],
  [
    "an unknown normalizer",
    "argument",
    ["normalizer", "softmx"],
    () => attention(x, x, x, { normalizer: "softmx" }),
  ],
  ["NaN for scale", "argument", ["scale", "NaN"], () => attention(x, x, x, { scale: NaN })],
  ["a word for scale", "argument", ["scale", '"2"'], () => attention(x, x, x, { scale: "2" })],
  ["a negative softcap", "argument", ["softcap", "-1"], () => attention(x, x, x, { softcap: -1 })],
  [
    "a bias that does not broadcast",
    "shape",
    ["bias", "[3, 2]"],
    () => attention(x, x, x, { bias: zeros(3, 2) }),
  ],
  [
    "sinks for other heads",
    "shape",
    ["sinks", "2"],
    () => attention(zeros(3, 2, 2), zeros(3, 2, 2), zeros(3, 2, 2), { sinks: [1, 2] }),
  ],
  [
    "a probability above 1",
    "argument",
    ["dropout", "1.5"],
    () => attention(x, x, x, { dropout: { p: 1.5, seed: 1 } }),
  ],
  [
    "dropout without a seed",
    "argument",
    ["seed"],
    () => attention(x, x, x, { dropout: { p: 0.5 } }),
  ],
  [
    "a fractional seed",
    "argument",
    ["seed", "0.5"],
    () => attention(x, x, x, { normalizer: { sample: { seed: 0.5 } } }),
  ],
  [
    "an unknown result",
    "argument",
    ["wieghts"],
    () => attention(x, x, x, { returns: { wieghts: true } }),
  ],
  [
    "a result asked for by a word",
    "argument",
    ["weights", '"yes"'],
    () => attention(x, x, x, { returns: { weights: "yes" } }),
  ],
  [
    "additive weights of another width",
    "shape",
    ["[4, 3]"],
    () =>
      attention(x, x, x, {
        score: { additive: { queryWeight: zeros(4, 3), keyWeight: zeros(4, 2), vector: zeros(4) } },
      }),
  ],
  [
    "out of another length",
    "shape",
    ["out", "5", "6"],
    () => attention(x, x, x, { out: new Float32Array(5) }),
  ],
  [
    "out of another type",
    "argument",
    ["out", "Float64Array"],
    () => attention(x, x, x, { out: new Float64Array(6) }),
  ],
  ["a number for out", "argument", ["out", "6"], () => attention(x, x, x, { out: 6 })],
  // Masks
  [
    "a bare matrix for a mask",
    "argument",
    ["mask.keep", "mask.ignore"],
    () => withMask([[true, false, true]]),
  ],
  ["a function for a mask", "argument", ["mask", "function"], () => withMask(mask.causal)],
  ["a word for a mask", "argument", ["mask", '"causal"'], () => withMask("causal")],
  [
    "a mask of the wrong size",
    "shape",
    ["[2, 2]", "3"],
    () =>
      withMask(
        mask.keep([
          [true, false],
          [true, true],
        ]),
      ),
  ],
  [
    "a kind of mask that is unknown",
    "argument",
    ["kind", "casual"],
    () => withMask({ kind: "casual" }),
  ],
  [
    "an unknown option of a mask",
    "argument",
    ["ofset"],
    () => withMask(masks["causal"]({ ofset: 1 })),
  ],
  [
    "a number for the options of a mask",
    "argument",
    ["options"],
    () => withMask(masks["window"](5)),
  ],
  ["a negative window", "argument", ["window", "-1"], () => withMask(mask.window({ left: -1 }))],
  ["a stride of 0", "argument", ["stride", "0"], () => withMask(mask.strided({ stride: 0 }))],
  [
    "a fractional offset",
    "argument",
    ["offset", "0.5"],
    () => withMask(mask.causal({ offset: 0.5 })),
  ],
  [
    "a global token that is not there",
    "argument",
    ["global", "3"],
    () => withMask(mask.global({ tokens: [3] })),
  ],
  [
    "more random keys than there are",
    "argument",
    ["random", "4", "3"],
    () => withMask(mask.random({ count: 4, seed: 0 })),
  ],
  [
    "blocks without pairs",
    "argument",
    ["blocks", "neither"],
    () => withMask(mask.blocks({ size: 2 })),
  ],
  [
    "edges of other rows",
    "shape",
    ["rowOffsets", "2"],
    () => withMask(mask.edges({ rowOffsets: [0, 1], columns: [0] })),
  ],
  [
    "an edge to nowhere",
    "argument",
    ["column", "7"],
    () => withMask(mask.edges({ rowOffsets: [0, 1, 1, 1], columns: [7] })),
  ],
  [
    "lengths for another batch",
    "shape",
    ["lengths", "2"],
    () => withMask(mask.lengths({ key: [1, 2] })),
  ],
  [
    "a length that is too long",
    "argument",
    ["lengths", "4"],
    () => withMask(mask.lengths({ key: [4] })),
  ],
  [
    "segments of another length",
    "shape",
    ["segments", "2"],
    () => withMask(mask.segments({ query: [0, 1], key: [0, 0, 1] })),
  ],
  [
    "numbers in a matrix of booleans",
    "argument",
    ["0.5"],
    () => withMask(mask.keep([[0.5, 1, 1]])),
  ],
  ["no masks to combine", "argument", ["none"], () => withMask(mask.and())],
  [
    "no mask in a combination",
    "argument",
    ["5"],
    () => withMask(masks["or"]({ kind: "causal" }, 5)),
  ],
  [
    "masks for other heads",
    "shape",
    ["perHead", "2"],
    () => withMask(mask.perHead([mask.causal(), mask.causal()])),
  ],
  [
    "no sizes for a mask",
    "argument",
    ["queryLength"],
    () => maskMatrix(mask.causal(), { keyLength: 3 }),
  ],
  ["an unknown size", "argument", ["head"], () => maskMatrix(mask.causal(), { ...sizes, head: 3 })],
  // Positions
  ["no length", "argument", ["length"], () => position["sinusoidal"]({ dim: 4 })],
  ["a negative length", "shape", ["-1"], () => position["sinusoidal"]({ length: -1, dim: 4 })],
  [
    "an unknown layout",
    "argument",
    ["layout", "halves"],
    () => position["rotary"](x, { layout: "halves" }),
  ],
  [
    "positions for other tokens",
    "shape",
    ["positions", "2", "3"],
    () => position["rotary"](x, { positions: [0, 1] }),
  ],
  ["an odd number of dims", "argument", ["dims", "1"], () => position["rotary"](x, { dims: 1 })],
  ["no heads", "argument", ["heads", "0"], () => position["alibiSlopes"](0)],
  [
    "a table for other buckets",
    "shape",
    ["32", "8"],
    () => position["relativeBias"](zeros(8, 2), { ...sizes, bidirectional: true }),
  ],
  // Layers
  ["a layer without a width", "argument", ["embedDim"], () => layer({ numHeads: 2 })],
  ["a layer of nothing", "argument", ["config"], () => layer(5)],
  [
    "heads that do not divide the width",
    "argument",
    ["10", "3"],
    () => layer({ embedDim: 10, numHeads: 3 }),
  ],
  ["more heads than the width", "argument", ["2", "8"], () => layer({ embedDim: 2, numHeads: 8 })],
  [
    "key heads that do not divide",
    "argument",
    ["4", "3"],
    () => layer({ embedDim: 8, numHeads: 4, numKvHeads: 3 }),
  ],
  ["an unknown setting", "argument", ["numHead"], () => layer({ embedDim: 8, numHead: 2 })],
  [
    "an input of another width",
    "shape",
    ["3", "4"],
    () => new qkv.MultiHeadAttention({ embedDim: 4, numHeads: 2 }).forward(zeros(2, 3)),
  ],
  [
    "a dict that is none",
    "argument",
    ["dict"],
    () => (new qkv.MultiHeadAttention({ embedDim: 4, numHeads: 2 }).loadStateDict as Loose)(5),
  ],
  [
    "a dict with too much",
    "argument",
    ["surplus"],
    () => new qkv.MultiHeadAttention({ embedDim: 4, numHeads: 2 }).loadStateDict({ surplus: x }),
  ],
  [
    "an encoding of an unknown kind",
    "argument",
    ["kind", "sinus"],
    () => encoding({ dim: 4, kind: "sinus" }),
  ],
  [
    "a sequence that is too long",
    "shape",
    ["3", "2"],
    () => encoding({ dim: 2, maxLength: 2 }).forward(x),
  ],
  // Disposed tensors
  ["a disposed tensor", "disposed", ["query"], () => attention(disposed(), x, x)],
  ["a disposed bias", "disposed", ["bias"], () => attention(x, x, x, { bias: disposed() })],
  ["a disposed layer", "disposed", ["q_proj.weight"], () => disposedLayer().forward(zeros(2, 4))],
];

function cycle(): unknown[] {
  const array: unknown[] = [];
  array.push(array);
  return array;
}

function disposed(): TensorLike {
  const one = qkv.tensor(x);
  one.dispose();
  return one;
}

function disposedLayer() {
  const one = new qkv.MultiHeadAttention({ embedDim: 4, numHeads: 2 });
  one.dispose();
  return one;
}

describe("a mistake", () => {
  it.each(cases)("%s", (_, code, words, call) => {
    let error: unknown;
    try {
      call();
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(QkvError);
    expect(error).toMatchObject({ name: "QkvError", code });
    for (const word of words) expect((error as QkvError).message).toContain(word);
    const [[first]] = qkv.attention([[1]], [[2]], [[3]]).output.toArray<number[][]>();
    expect(first).toBe(3);
  });

  it("leaves nothing behind", () => {
    const fail = (call: () => unknown) => {
      try {
        call();
      } catch {
        return;
      }
      expect.unreachable();
    };
    // Those that make a layer first leave that to the garbage collector.
    const clean = cases.filter(([, , , call]) => !/MultiHead|encoding|disposed/.test(String(call)));
    expect(clean.length).toBeGreaterThan(60);
    for (let warm = 0; warm < 3; ++warm) for (const [, , , call] of clean) fail(call);
    const before = qkv.memory().used;
    for (const [, , , call] of clean) fail(call);
    expect(qkv.memory().used).toBe(before);
  });

  it("about memory names the bytes, and the next call succeeds", () => {
    const huge = { data: new Float32Array(1), shape: [70000, 70000], strides: [0, 0] };
    const ask = () => {
      expect(() => qkv.tensor(huge)).toThrow(
        expect.objectContaining({
          code: "memory",
          message: expect.stringContaining("19600000000"),
        }),
      );
      return qkv.memory().used;
    };
    ask();
    expect(ask()).toBe(ask());
    expect(qkv.tensor(x).toArray()).toEqual(x);
  });
});
