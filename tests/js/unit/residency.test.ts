import { describe, expect, it } from "vitest";
import { Runtime } from "../../../bindings/js/runtime.js";
import type { Tensor } from "../../../bindings/js/tensor.js";
import { FakeCore, type View } from "../support/fake-core.js";

const MEGABYTE = 2 ** 20;

function setUp() {
  const core = new FakeCore({
    tensor: (x) => ({ results: { output: [[...(x as View).shape], [...(x as View).values]] } }),
    use: () => ({ results: {} }),
    fill: (length, value) => ({
      results: { output: [[Number(length)], new Array(Number(length)).fill(Number(value))] },
    }),
  });
  const runtime = new Runtime(core);
  const make = (values: number[]): Tensor => runtime.runResident("tensor", [values])["output"];
  const fill = (length: number, value: number): Tensor =>
    runtime.runResident("fill", [length, value])["output"];
  return { core, runtime, make, fill, empty: core.used() };
}

describe("resident tensors", () => {
  it("are used where they are", () => {
    const { core, runtime, make } = setUp();
    const tensor = make([1, 2, 3]);
    const before = core.used();
    runtime.run("use", [tensor, tensor]);
    const [first, second] = core.calls.at(-1) as View[];
    expect(first).toMatchObject({ tag: "float32", shape: [3], values: [1, 2, 3] });
    expect(second.pointer).toBe(first.pointer);
    expect(core.used()).toBe(before);
  });

  it("give their memory back, once", () => {
    const { core, make, empty } = setUp();
    const tensor = make([1, 2, 3]);
    expect(core.used()).toBeGreaterThan(empty);
    const { data } = tensor;
    tensor.dispose();
    tensor.dispose();
    expect(core.used()).toBe(empty);
    expect([...data]).toEqual([1, 2, 3]);
    expect(() => tensor.data).toThrow(expect.objectContaining({ code: "disposed" }));
    expect(() => tensor.data).toThrow("shape [3]");
    expect(() => tensor.toArray()).toThrow("disposed");
    expect(tensor.shape).toEqual([3]);
  });

  it("hand out copies", () => {
    const { runtime, core, make } = setUp();
    const tensor = make([1, 2, 3]);
    const { data } = tensor;
    expect(tensor.data).toBe(data);
    data[0] = 9;
    core.allocate(64 * MEGABYTE);
    expect([...data]).toEqual([9, 2, 3]);
    runtime.run("use", [tensor]);
    expect(core.calls.at(-1)).toMatchObject([{ values: [1, 2, 3] }]);
  });

  it("stay few in a loop that forgets them, and keep their values", () => {
    const { core, make, empty } = setUp();
    const tensors = Array.from({ length: 2000 }, (_, index) => make([index, -index]));
    expect(core.used()).toBeLessThanOrEqual(empty + 256 * 16);
    expect(tensors.map(({ data }) => data[1] + 0)).toEqual(tensors.map((_, index) => 0 - index));
  });

  it("stay below a number of bytes, but for the latest few", () => {
    const { core, fill, empty } = setUp();
    const tensors: Tensor[] = [];
    for (let index = 0; index < 60; ++index) tensors.push(fill(MEGABYTE / 4, index));
    expect(core.used()).toBe(empty + 32 * MEGABYTE);
    for (let index = 0; index < 12; ++index) tensors.push(fill(5 * MEGABYTE, index));
    expect(core.used()).toBe(empty + 8 * 20 * MEGABYTE);
    for (const tensor of tensors) tensor.dispose();
    expect(core.used()).toBe(empty);
  });

  it("come back when they are used, and after some rounds all of them stay", () => {
    const { core, runtime, make, empty } = setUp();
    const tensors = Array.from({ length: 400 }, (_, index) => make([index]));
    for (let round = 0; round < 3; ++round) {
      tensors.forEach((tensor, index) => {
        runtime.run("use", [tensor]);
        expect((core.calls.at(-1) as View[])[0].values).toEqual([index]);
      });
    }
    expect(core.used()).toBe(empty + 400 * 16);
    for (const tensor of tensors) tensor.dispose();
    expect(core.used()).toBe(empty);
  });

  it("are not moved by the call that uses them", () => {
    const { core, runtime, make } = setUp();
    const tensors = Array.from({ length: 600 }, (_, index) => make([index]));
    runtime.run("use", tensors);
    const views = core.calls.at(-1) as View[];
    expect(views.map(({ values }) => values[0])).toEqual(tensors.map((_, index) => index));
    expect(new Set(views.map(({ pointer }) => pointer)).size).toBe(600);
  });

  it("make room when there is no other memory left", () => {
    const { core, runtime, fill } = setUp();
    const [a, b, c] = [1, 2, 3].map((value) => fill(MEGABYTE, value));
    core.budget = core.used() + 1000;
    runtime.run("use", [c, new Float32Array(MEGABYTE)]);
    expect((core.calls.at(-1) as View[])[0].values[0]).toBe(3);
    core.budget = Infinity;
    runtime.run("use", [a, b, c]);
    expect((core.calls.at(-1) as View[]).map(({ values }) => values[7])).toEqual([1, 2, 3]);
  });

  it("are copied when another core is to use them", () => {
    const { make } = setUp();
    const other = setUp();
    const tensor = make([4, 5]);
    other.runtime.run("use", [tensor]);
    expect(other.core.calls.at(-1)).toMatchObject([{ values: [4, 5] }]);
    expect(other.core.used()).toBe(other.empty);
  });
});
