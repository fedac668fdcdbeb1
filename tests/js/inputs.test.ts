// The ways to hand over a tensor, and lengths of zero.
import { mask, type TensorLike } from "qkv";
import { describe, expect, it } from "vitest";
import { EXACT, expectClose } from "./support/compare.js";
import { qkv } from "./support/qkv.js";

const rows = [
  [1, 0.5, -2],
  [0.25, 3, 1],
];
const flat = rows.flat();
const value = [
  [1, 2],
  [3, 5],
];

describe("a tensor", () => {
  const want = qkv.attention(rows, rows, value).output;
  const forms: readonly [string, TensorLike][] = [
    ["nested arrays", rows],
    ["rows of typed arrays", rows.map((row) => Float32Array.from(row))],
    ["a Float32Array", { data: Float32Array.from(flat), shape: [2, 3] }],
    ["a Float64Array", { data: Float64Array.from(flat), shape: [2, 3] }],
    ["a list of numbers", { data: flat, shape: [2, 3] }],
    [
      "part of a larger array",
      { data: Float32Array.from([9, ...flat, 9]).subarray(1, 7), shape: [2, 3] },
    ],
    ["strides of columns", { data: transpose(flat), shape: [2, 3], strides: [1, 2] }],
    ["strides with gaps", { data: spread(flat), shape: [2, 3], strides: [6, 2] }],
    ["strides of numbers", { data: [...transpose(flat)], shape: [2, 3], strides: [1, 2] }],
    ["more data than the shape needs", { data: Float32Array.from([...flat, 9]), shape: [2, 3] }],
    ["a resident tensor", qkv.tensor(rows)],
    ["a result", qkv.attention(rows, [[0, 0, 0]], [[...rows[0]]]).output && qkv.tensor(rows)],
  ];

  it.each(forms)("may be %s", (_, form) => {
    expectClose(qkv.attention(form, form, value).output, want, EXACT);
    expectClose(qkv.attention(form, rows, value).output, want, EXACT);
    expectClose(qkv.tensor(form), { shape: [2, 3], data: flat }, EXACT);
  });

  it("may have integers of any type", () => {
    for (const data of [
      new Int8Array([1, 2]),
      new Uint8ClampedArray([1, 2]),
      new Uint16Array([1, 2]),
      new Int32Array([1, 2]),
    ]) {
      expect([...qkv.tensor({ data, shape: [1, 2] }).data]).toEqual([1, 2]);
    }
  });

  it("may repeat elements by a stride of 0, and run backwards through no memory of its own", () => {
    const x = { data: new Float32Array([5, 6]), shape: [3, 2], strides: [0, 1] };
    expect(qkv.tensor(x).toArray()).toEqual([
      [5, 6],
      [5, 6],
      [5, 6],
    ]);
  });

  it("is not kept: changing the array later changes nothing", () => {
    const data = new Float32Array([1, 2]);
    const tensor = qkv.tensor({ data, shape: [1, 2] });
    data.fill(9);
    expect([...tensor.data]).toEqual([1, 2]);
  });

  it("may hold NaN and infinities", () => {
    expect([...qkv.tensor([[NaN, Infinity, -Infinity]]).data]).toEqual([NaN, Infinity, -Infinity]);
  });

  it("passes from call to call", () => {
    const first = qkv.attention(rows, rows, rows).output;
    const byTensor = qkv.attention(first, first, value).output;
    const byArray = qkv.attention(first.toArray<number[][]>(), first, value).output;
    expectClose(byTensor, byArray, EXACT);
  });
});

describe("a length of zero", () => {
  const none = (...shape: number[]) => ({ data: new Float32Array(0), shape });

  it("of queries gives nothing", () => {
    const { output } = qkv.attention(none(0, 4), none(0, 4), none(0, 3));
    expect(output).toMatchObject({ shape: [0, 3], data: new Float32Array(0) });
    expect(qkv.attention(none(0, 2), [[1, 2]], [[3]]).output.shape).toEqual([0, 1]);
  });

  it("of keys gives zeros", () => {
    const { output, weights, logSumExp } = qkv.attention(
      [
        [1, 2],
        [3, 4],
      ],
      none(0, 2),
      none(0, 3),
      { returns: { weights: true, logSumExp: true } },
    );
    expect(output.toArray()).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
    expect(weights.shape).toEqual([2, 0]);
    expect([...logSumExp.data]).toEqual([-Infinity, -Infinity]);
  });

  it("of the batch gives nothing", () => {
    const { output } = qkv.attention(none(0, 2, 3, 4), none(0, 2, 5, 4), none(0, 2, 5, 6));
    expect(output.shape).toEqual([0, 2, 3, 6]);
  });

  it("of one batch entry gives zeros there", () => {
    const x = { data: new Float32Array(4).fill(1), shape: [2, 1, 2, 1] };
    const { output } = qkv.attention(x, x, x, { mask: mask.lengths({ key: [2, 0] }) });
    expect([...output.data]).toEqual([1, 1, 0, 0]);
  });

  it("is a tensor like any other", () => {
    const tensor = qkv.tensor(none(0, 4));
    expect(tensor.toArray()).toEqual([]);
    expect(qkv.attention(tensor, tensor, tensor).output.shape).toEqual([0, 4]);
    tensor.dispose();
    expect(qkv.position.sinusoidal({ length: 0, dim: 4 }).shape).toEqual([0, 4]);
    expect(qkv.maskMatrix(mask.causal(), { queryLength: 0, keyLength: 3 }).shape).toEqual([0, 3]);
  });
});

function transpose(data: readonly number[]): Float32Array {
  return Float32Array.from([0, 3, 1, 4, 2, 5], (index) => data[index]);
}

/** Every second element, the others NaN: they must not be read. */
function spread(data: readonly number[]): Float32Array {
  return Float32Array.from({ length: 11 }, (_, index) => (index % 2 === 0 ? data[index / 2] : NaN));
}
