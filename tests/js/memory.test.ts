// WebAssembly's memory stays flat, and nothing that was handed out depends on it.
import { mask } from "qkv";
import { describe, expect, it } from "vitest";
import { qkv } from "./support/qkv.js";

const ROUNDS = 10_000;
const x = {
  data: Float32Array.from({ length: 16 * 8 }, (_, index) => (index % 7) - 3),
  shape: [16, 8],
};
const used = () => qkv.memory().used;
const total = () => qkv.memory().total;

/**
 * Runs `scenario` and expects memory to be what it was. A few times before that, it may make what all
 * calls share; the allocator may also round a size up by some bytes where a piece is left over.
 */
function expectNothingLeft(scenario: () => void): void {
  for (let warm = 0; warm < 3; ++warm) scenario();
  const before = used();
  scenario();
  expect(used()).toBe(before);
}

/** Runs `round` many times; memory after a tenth of them is what it is after all. */
function expectFlat(round: () => void): void {
  for (let index = 0; index < ROUNDS / 10; ++index) round();
  const before = { used: used(), total: total() };
  for (let index = 0; index < ROUNDS; ++index) round();
  expect({ used: used(), total: total() }).toEqual(before);
}

describe("memory", () => {
  it("of disposed tensors is given back at once", () => {
    expectNothingLeft(() => {
      const before = used();
      const tensors = Array.from({ length: 20 }, () => qkv.tensor(x));
      expect(used()).toBeGreaterThanOrEqual(before + 20 * 16 * 8 * 4);
      for (const tensor of tensors) tensor.dispose();
    });
  });

  it("of forgotten tensors is given back when they are collected", async () => {
    const collect = (globalThis as { gc?: () => void }).gc;
    if (collect === undefined) throw new Error("the tests run with --expose-gc");
    const idle = async () => {
      collect();
      await new Promise((resolve) => setTimeout(resolve, 20));
    };
    await idle();
    const before = used();
    (() => {
      for (let index = 0; index < 50; ++index) qkv.tensor(x);
    })();
    expect(used()).toBeGreaterThan(before);
    for (let round = 0; round < 50 && used() > before; ++round) await idle();
    expect(used()).toBeLessThanOrEqual(before);
  });

  it("may grow without harm to what was handed out", () => {
    const tensor = qkv.tensor([
      [1, 2],
      [3, 4],
    ]);
    const result = qkv.attention(tensor, tensor, tensor, { returns: { weights: true } });
    const { output, weights } = result;
    const { data } = tensor;
    const copies = [data, output.data, weights.data].map((array) => array.slice());

    const before = total();
    const large = qkv.tensor({ data: new Float32Array(32 * 2 ** 20), shape: [32 * 2 ** 20] });
    expect(total()).toBeGreaterThan(before + 64 * 2 ** 20);
    [data, output.data, weights.data].forEach((array, index) =>
      expect(array).toEqual(copies[index]),
    );
    expect(qkv.attention(tensor, tensor, tensor).output.data).toEqual(copies[1]);
    large.dispose();
  });

  it("of results is the caller's", () => {
    const first = qkv.attention(x, x, x).output;
    const copy = first.data.slice();
    qkv.attention(x, x, { ...x, data: x.data.map((entry) => -entry) });
    expect(first.data).toEqual(copy);
    first.data.fill(0);
    expect(qkv.attention(x, x, x).output.data).toEqual(copy);
  });
});

// These leave many forgotten tensors behind, so they come last.
describe("memory is flat over 10,000 rounds of", () => {
  it("create, attend, dispose", () => {
    const round = () => {
      const tensor = qkv.tensor(x);
      const { output } = qkv.attention(tensor, tensor, tensor);
      output.dispose();
      tensor.dispose();
    };
    expectNothingLeft(round);
    expectFlat(round);
  });

  it("tensors that are used and forgotten", () => {
    expectFlat(() => {
      const tensor = qkv.tensor(x);
      qkv.attention(tensor, tensor, tensor);
    });
  });

  it("tensors that are only made", () => {
    expectFlat(() => qkv.tensor(x));
  });

  it("calls with arrays, a mask and further results", () => {
    const options = {
      mask: mask.and(mask.causal(), mask.window({ left: 9 })),
      returns: { weights: true, logSumExp: true },
    } as const;
    expectFlat(() => qkv.attention(x, x, x, options));
  });

  it("calls that fail", () => {
    expectFlat(() => {
      expect(() => qkv.attention(x, x, [[1]])).toThrow("differ in length");
    });
  });

  it("layers that are forgotten", () => {
    expectFlat(() => {
      const layer = new qkv.MultiHeadAttention({ embedDim: 16, numHeads: 4 });
      layer.dispose();
    });
    const layers = () => new qkv.MultiHeadAttention({ embedDim: 16, numHeads: 4 });
    for (let index = 0; index < 100; ++index) layers();
    const before = used();
    for (let index = 0; index < 1000; ++index) layers();
    // Parameters are of several sizes, so which of them are resident varies a little.
    expect(used()).toBeLessThanOrEqual(before + 256 * 1024);
  });
});
