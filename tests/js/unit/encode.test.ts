import { describe, expect, it } from "vitest";
import { ArgumentStream } from "../../../bindings/js/encode.js";
import { Residency } from "../../../bindings/js/residency.js";
import { Runtime } from "../../../bindings/js/runtime.js";
import { createTensor } from "../../../bindings/js/tensor.js";
import { FakeCore, type Argument, type View } from "../support/fake-core.js";

const silent = { run: () => ({ results: {} }) };

/** What the core sees of `values`. */
function sent(...values: readonly unknown[]): readonly Argument[] {
  const core = new FakeCore(silent);
  const runtime = new Runtime(core);
  const before = core.used();
  runtime.run("run", values);
  expect(core.used()).toBe(before);
  return core.calls[0];
}

function view(value: unknown): View {
  return sent(value)[0] as View;
}

function unusable(value: unknown): string {
  return (sent(value)[0] as { unusable: string }).unusable;
}

describe("plain values", () => {
  it("passes on what needs no memory", () => {
    expect(sent(undefined, null, true, false, 1.5, NaN, -Infinity, "", "añ😀")).toEqual([
      ...[undefined, undefined, true, false, 1.5, NaN, -Infinity, "", "añ😀"],
    ]);
  });

  it("writes objects entry by entry and leaves out what is undefined", () => {
    expect(sent({ a: 1, gone: undefined, empty: null, "b.c": { d: "e" } })).toEqual([
      { entries: { a: 1, empty: undefined, "b.c": { entries: { d: "e" } } } },
    ]);
    expect(sent(Object.create(null))).toEqual([{ entries: {} }]);
  });

  it("has no limit on how much it writes", () => {
    const entries = Object.fromEntries(
      Array.from({ length: 3000 }, (_, index) => [`name${index}`, index]),
    );
    expect(sent(entries)).toEqual([{ entries }]);
  });

  it("knows no option by name", () => {
    expect(sent({ returns: { weights: true }, anything: "goes" })).toEqual([
      { entries: { returns: { entries: { weights: true } }, anything: "goes" } },
    ]);
  });
});

describe("tensors", () => {
  it("writes nested numbers as float64", () => {
    expect(
      view([
        [1, 2, 3],
        [4, 5, NaN],
      ]),
    ).toMatchObject({
      ...{ tag: "float64", shape: [2, 3], strides: [3, 1], length: 6 },
      values: [1, 2, 3, 4, 5, NaN],
    });
    expect(view([[[1]], [[2]]])).toMatchObject({ shape: [2, 1, 1], strides: [1, 1, 1] });
    expect(view([new Float32Array([1, 2]), new Uint8Array([3, 4])])).toMatchObject({
      ...{ tag: "float64", shape: [2, 2], values: [1, 2, 3, 4] },
    });
  });

  it("writes nested booleans as bytes", () => {
    expect(
      view([
        [true, false],
        [false, true],
      ]),
    ).toMatchObject({
      ...{ tag: "bool", shape: [2, 2], strides: [2, 1], values: [1, 0, 0, 1] },
    });
  });

  it("writes empty arrays as tensors without elements", () => {
    expect(view([])).toMatchObject({ tag: "float64", shape: [0], strides: [1], length: 0 });
    expect(view([[], []])).toMatchObject({ tag: "float64", shape: [2, 0], length: 0 });
    expect(view({ data: new Float32Array(0), shape: [0, 4] })).toMatchObject({
      ...{ tag: "float32", shape: [0, 4], strides: [4, 1], length: 0 },
    });
    for (const empty of [[], { data: [], shape: [0] }, createTensor([0], new Float32Array(0))]) {
      expect(view(empty).pointer).toBeGreaterThan(0);
    }
  });

  it("writes data with a shape as it is, and says how long it is", () => {
    const data = new Float32Array([1, 2, 3, 4, 5, 6]);
    expect(view({ data, shape: [2, 3] })).toMatchObject({
      ...{ tag: "float32", shape: [2, 3], strides: [3, 1], length: 6, values: [...data] },
    });
    expect(view({ data, shape: [3, 2], strides: [1, 3] })).toMatchObject({ strides: [1, 3] });
    expect(view({ data, shape: [65536, 65536] })).toMatchObject({
      shape: [65536, 65536],
      length: 6,
    });
    expect(view({ data, shape: [-1, 1.5] })).toMatchObject({ shape: [-1, 1.5], length: 6 });
    expect(view({ data: data.subarray(1, 3), shape: [2] })).toMatchObject({ values: [2, 3] });
    expect(view(data)).toMatchObject({ tag: "float32", shape: [6] });
  });

  it("widens other numbers to float64, and narrows booleans to bytes", () => {
    for (const data of [
      [1, 2],
      new Float64Array([1, 2]),
      new Int32Array([1, 2]),
      new Uint8Array([1, 2]),
    ]) {
      expect(view({ data, shape: [2] })).toMatchObject({ tag: "float64", values: [1, 2] });
    }
    expect(view(new Int16Array([-1]))).toMatchObject({ tag: "float64", shape: [1], values: [-1] });
    expect(view({ data: [true, false], shape: [2] })).toMatchObject({
      tag: "bool",
      values: [1, 0],
    });
  });

  it("writes result tensors by their data, and disposed ones as such", () => {
    const tensor = createTensor([2, 1], new Float32Array([7, 8]));
    expect(view(tensor)).toMatchObject({ tag: "float32", shape: [2, 1], values: [7, 8] });
    tensor.dispose();
    expect(sent(tensor)).toEqual([{ disposed: true }]);
  });

  it("copies the same array once", () => {
    const data = new Float32Array(100000);
    const rows = [
      [1, 2],
      [3, 4],
    ];
    const [a, b, c, d, e] = sent(
      { data, shape: [100000] },
      data,
      createTensor([9], data),
      rows,
      rows,
    );
    expect((b as View).pointer).toBe((a as View).pointer);
    expect((c as View).pointer).toBe((a as View).pointer);
    expect((e as View).pointer).toBe((d as View).pointer);
  });

  it("keeps arguments that are larger than the arena", () => {
    const large = Float32Array.from({ length: 50000 }, (_, index) => index);
    const numbers = Array.from({ length: 50000 }, (_, index) => -index);
    const [a, b, c] = sent(large, numbers, [[1]]) as View[];
    expect(a.values).toEqual([...large]);
    expect(b.values).toEqual(numbers);
    expect(c.values).toEqual([1]);
  });

  it("writes arrays of objects and strings as lists", () => {
    expect(
      sent([{ kind: "a" }, { kind: "b" }], ["x"], [createTensor([1], new Float32Array([5]))]),
    ).toEqual([
      [{ entries: { kind: "a" } }, { entries: { kind: "b" } }],
      ["x"],
      [expect.objectContaining({ tag: "float32", values: [5] })],
    ]);
  });
});

describe("what cannot be sent is described", () => {
  const cycle: unknown[] = [];
  cycle.push(cycle);
  const looped: Record<string, unknown> = {};
  looped["self"] = looped;
  const data = new Float32Array(4);

  it.each<[unknown, string]>([
    [[[1, "abc"]], 'a string "abc" at [0][1]'],
    [
      [
        [1, 2],
        [3, 4, 5],
      ],
      "rows of 2 and 3 at [1]",
    ],
    [[[[1]], [[1, 2]]], "rows of 1 and 2 at [1][0]"],
    [[[], [1]], "rows of 0 and 1 at [1]"],
    [[[1], 2], "the number 2 at [1]"],
    [[1, [2]], "an array at [1]"],
    [[1, {}], "an object at [1]"],
    [[true, 1], "the number 1 at [1]"],
    [[1n], "a bigint at [0]"],
    [[[1, 2n]], "a bigint at [0][1]"],
    [[new BigInt64Array(1)], "a bigint at [0][0]"],
    [[[null]], "null at [0][0]"],
    [[undefined], "undefined at [0]"],
    [[() => 1], "a function at [0]"],
    [1n, "a bigint"],
    [() => 1, "a function"],
    [Symbol("s"), "a symbol"],
    [new Map(), "a Map"],
    [new ArrayBuffer(8), "an ArrayBuffer"],
    [new BigUint64Array(1), "a BigUint64Array"],
    [new DataView(new ArrayBuffer(8)), "a DataView"],
    [cycle, "an array nested without end"],
    [{ data }, "data without a shape"],
    [{ data, shape: "4" }, 'data with a string "4" as shape'],
    [{ data, shape: [2, "2"] }, 'data whose shape has a string "2" at [1]'],
    [{ data, shape: [2, 2], strides: [1] }, "data with strides of 1 axes and a shape of 2"],
    [{ data, shape: [2], strides: [1n] }, "data whose strides has a bigint at [0]"],
    [{ data: [1, "x"], shape: [2] }, 'a string "x" at [1] of data'],
    [{ data: [[1]], shape: [1] }, "an array at [0] of data"],
    [{ data: "abcd", shape: [4] }, 'a string "abcd" as data'],
    [{ data: undefined, shape: [4] }, "undefined as data"],
    [{ data: new BigInt64Array(4), shape: [4] }, "a BigInt64Array as data"],
    [[[1, "x".repeat(50)]], `a string "${"x".repeat(40)}..." at [0][1]`],
  ])("case %#", (value, words) => {
    expect(unusable(value)).toBe(words);
  });

  it("ends when an object holds itself", () => {
    expect(JSON.stringify(sent(looped))).toContain("something nested without end");
  });
});

describe("memory of one call", () => {
  it("is released when an argument throws", () => {
    const core = new FakeCore(silent);
    const runtime = new Runtime(core);
    const before = core.used();
    const trap = {
      get entry(): number {
        throw new RangeError("from a getter");
      },
    };
    expect(() => runtime.run("run", [new Float32Array(1e6), trap])).toThrow("from a getter");
    expect(core.used()).toBe(before);
    runtime.run("run", [1]);
    expect(core.calls).toEqual([[1]]);
  });

  it("is released when there is not enough of it, and the error names the bytes", () => {
    const core = new FakeCore(silent);
    const runtime = new Runtime(core);
    const before = core.used();
    core.budget = before + 1e6;
    expect(() => runtime.run("run", [new Float32Array(1e5), new Float32Array(1e6)])).toThrow(
      expect.objectContaining({
        code: "memory",
        message: expect.stringContaining("4000000 bytes"),
      }),
    );
    expect(core.used()).toBe(before);
  });

  it("refuses more than there are addresses for", () => {
    const core = new FakeCore(silent);
    const residency = new Residency(core);
    expect(() => residency.allocate(2 ** 33)).toThrow(
      expect.objectContaining({ code: "memory", message: expect.stringContaining("8589934592") }),
    );
  });

  it("stays apart from that of a call which a getter makes", () => {
    const core = new FakeCore(silent);
    const runtime = new Runtime(core);
    const before = core.used();
    const nested = {
      get entry(): string {
        runtime.run("run", [[9, 9]]);
        return "after";
      },
    };
    runtime.run("run", [[1, 2], nested, [3, 4]]);
    expect(core.calls).toHaveLength(2);
    expect(core.calls[1]).toMatchObject([
      { values: [1, 2] },
      { entries: { entry: "after" } },
      { values: [3, 4] },
    ]);
    expect(core.used()).toBe(before);
  });

  it("is nothing for a small call", () => {
    const core = new FakeCore(silent);
    const stream = new ArgumentStream(core, new Residency(core));
    const before = core.used();
    stream.write([[[1, 2]], { data: new Float32Array(100), shape: [100] }, "text"]);
    expect(core.used()).toBe(before);
    stream.clear();
    stream.dispose();
    expect(core.used()).toBe(before - 65536);
  });
});
