import { describe, expect, it } from "vitest";
import { Runtime } from "../../../bindings/js/runtime.js";
import { createTensor } from "../../../bindings/js/tensor.js";
import { FakeCore, type Outcome } from "../support/fake-core.js";

function answering(outcome: Outcome) {
  const core = new FakeCore({ run: () => outcome });
  const runtime = new Runtime(core);
  return { core, runtime, before: core.used() };
}

describe("results", () => {
  it("are copied out, and their memory is released", () => {
    const { core, runtime, before } = answering({
      results: {
        output: [
          [1, 2],
          [3, 4],
        ],
        weights: [[0, 5], []],
        pairs: 7,
      },
    });
    for (let round = 0; round < 2; ++round) {
      const { output, weights, pairs } = runtime.run("run", []);
      expect(output).toMatchObject({ shape: [1, 2], data: new Float32Array([3, 4]) });
      expect(weights).toMatchObject({ shape: [0, 5], data: new Float32Array(0) });
      expect(pairs).toBe(7);
      expect(core.used()).toBe(before);
    }
  });

  it("are put into an array of the caller's", () => {
    const { core, runtime, before } = answering({
      results: { output: [[2], [3, 4]], weights: [[1], [5]] },
    });
    const out = new Float32Array(2);
    const results = runtime.run("run", [], out);
    expect(results["output"]).toMatchObject({ data: out });
    expect([...out]).toEqual([3, 4]);
    expect(results["weights"]).toMatchObject({ data: new Float32Array([5]) });
    expect(core.used()).toBe(before);
  });

  it("release all memory when a copy fails", () => {
    const { core, runtime, before } = answering({
      results: { output: [[2], [3, 4]], weights: [[1], [5]] },
    });
    expect(() => runtime.run("run", [], new Float32Array(1))).toThrow(RangeError);
    expect(core.used()).toBe(before);
  });

  it.each([
    [1, "shape"],
    [2, "argument"],
    [3, "memory"],
    [4, "disposed"],
  ])("status %i becomes code %s", (status, code) => {
    const { runtime } = answering({ status, message: "query: 2 ≠ 3" });
    expect(() => runtime.run("run", [])).toThrow(
      expect.objectContaining({ name: "QkvError", code, message: "query: 2 ≠ 3" }),
    );
  });

  it("name an operation that the core lacks", () => {
    const { runtime } = answering({ results: {} });
    expect(() => runtime.run("other", [])).toThrow('"other"');
  });
});

describe("a tensor", () => {
  const numbers = (count: number) => Float32Array.from({ length: count }, (_, index) => index);

  it("nests its elements", () => {
    expect(createTensor([2, 1, 3], numbers(6)).toArray()).toEqual([[[0, 1, 2]], [[3, 4, 5]]]);
    expect(createTensor([2], numbers(2)).toArray()).toEqual([0, 1]);
    expect(createTensor([], numbers(1)).toArray()).toBe(0);
    expect(createTensor([2, 0], numbers(0)).toArray()).toEqual([[], []]);
    expect(createTensor([0, 2], numbers(0)).toArray()).toEqual([]);
    expect(createTensor([2, 0, 2], numbers(0)).toArray()).toEqual([[], []]);
  });

  it("can be used with `using`", () => {
    const tensor = createTensor([1], numbers(1));
    expect(tensor[Symbol.dispose]).toBeTypeOf("function");
    tensor[Symbol.dispose]();
    expect(() => tensor.data).toThrow("disposed");
  });

  it("does not let its shape be changed", () => {
    const tensor = createTensor([2], numbers(2));
    expect(() => Object.assign(tensor.shape, { 0: 100 })).toThrow(TypeError);
  });
});
