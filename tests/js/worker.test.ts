// The same functions in a worker. Node's worker threads stand in for the page's workers here.
import { loadInWorker, QkvError, type WorkerQkv } from "qkv/worker";
import { mask } from "qkv";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EXACT, expectClose } from "./support/compare.js";
import { qkv, threads, variant } from "./support/qkv.js";

const x = {
  data: Float32Array.from({ length: 2 * 5 * 4 }, (_, index) => (index % 9) / 4 - 1),
  shape: [2, 5, 4],
};
let remote: WorkerQkv;

beforeAll(async () => {
  remote = await loadInWorker({ variant, threads });
});
afterAll(() => remote.terminate());

describe("a worker", () => {
  it("tells what it runs on", async () => {
    expect(remote.version).toBe(qkv.version);
    expect(remote.backend).toEqual(qkv.backend);
    expect((await remote.memory()).used).toBeGreaterThan(0);
  });

  it("gives the same results", async () => {
    const options = { mask: mask.causal(), returns: { weights: true } } as const;
    const [there, here] = [
      await remote.attention(x, x, x, options),
      qkv.attention(x, x, x, options),
    ];
    expectClose(there.output, here.output, EXACT);
    expectClose(there.weights, here.weights, EXACT);
    expect(there.output.toArray()).toEqual(here.output.toArray());
  });

  it("leaves the caller its arrays", async () => {
    const data = x.data.slice();
    await remote.attention({ ...x, data }, { ...x, data }, { ...x, data });
    expect(data).toEqual(x.data);
  });

  it("takes nested arrays, results, and tensors of this side", async () => {
    const rows = [
      [1, 2],
      [3, 4],
    ];
    const want = qkv.attention(rows, rows, rows).output;
    const resident = qkv.tensor(rows);
    expectClose((await remote.attention(rows, rows, rows)).output, want, EXACT);
    expectClose((await remote.attention(resident, rows, resident)).output, want, EXACT);
    const twice = qkv.attention(want, rows, want).output;
    expectClose((await remote.attention(want, rows, want)).output, twice, EXACT);
  });

  it("takes views without the buffer behind them", async () => {
    const part = new Float32Array(1e6).fill(2).subarray(10, 12);
    const { output } = await remote.attention({ data: part, shape: [1, 2] }, [[1, 1]], [[5]]);
    expect(output.toArray()).toEqual([[5]]);
  });

  it("writes into an array of the caller's", async () => {
    const out = new Float32Array(40);
    const { output } = await remote.attention(x, x, x, { out });
    expect(output.data).toBe(out);
    expectClose(output, qkv.attention(x, x, x).output, EXACT);
    await expect(remote.attention(x, x, x, { out: new Float32Array(3) })).rejects.toMatchObject({
      code: "shape",
    });
  });

  it("keeps tensors", async () => {
    const tensor = await remote.tensor(x);
    expect(tensor.shape).toEqual(x.shape);
    expect(await tensor.data()).toEqual(x.data);
    expect(await tensor.data()).toEqual(x.data);
    expect(await tensor.toArray()).toEqual(qkv.tensor(x).toArray());
    const { output } = await remote.attention(tensor, tensor, x, {
      bias: await remote.tensor([[0]]),
    });
    expectClose(output, qkv.attention(x, x, x).output, EXACT);

    const before = (await remote.memory()).used;
    tensor.dispose();
    expect((await remote.memory()).used).toBeLessThan(before);
    await expect(remote.attention(tensor, x, x)).rejects.toMatchObject({ code: "disposed" });
    await expect(tensor.data()).rejects.toMatchObject({ code: "disposed" });
  });

  it("has masks, positions and statistics", async () => {
    const sizes = { queryLength: 3, keyLength: 3 };
    const both = mask.or(mask.causal(), mask.keep([[true, true, true]]));
    expect(await (await remote.maskMatrix(both, sizes)).toArray()).toEqual(
      qkv.maskMatrix(both, sizes).toArray(),
    );
    expect(await remote.maskStats(mask.causal(), sizes)).toEqual(
      qkv.maskStats(mask.causal(), sizes),
    );
    expect(await remote.position.alibiSlopes(4)).toEqual(qkv.position.alibiSlopes(4));
    const table = await remote.position.sinusoidal({ length: 4, dim: 6 });
    expectClose(table, qkv.position.sinusoidal({ length: 4, dim: 6 }), EXACT);
    expectClose(
      await remote.position.rotary(x, { offset: 3 }),
      qkv.position.rotary(x, { offset: 3 }),
      EXACT,
    );
  });

  it("has layers", async () => {
    const config = { embedDim: 4, numHeads: 2, seed: 3 };
    const there = new remote.MultiHeadAttention(config);
    const here = new qkv.MultiHeadAttention(config);
    await there.ready;
    expectClose((await there.forward(x)).output, here.forward(x).output, EXACT);
    expect((await there.parameters()).map(({ shape }) => shape)).toEqual(
      here.parameters().map(({ shape }) => shape),
    );

    const other = new qkv.MultiHeadAttention({ ...config, seed: 4 });
    await there.loadStateDict(other.stateDict());
    const { output, weights } = await there.forward(x, x, undefined, {
      returns: { weights: true },
    });
    const want = other.forward(x, x, x, { returns: { weights: true } });
    expectClose(output, want.output, EXACT);
    expectClose(weights, want.weights, EXACT);
    const dict = await there.stateDict();
    expect(Object.keys(dict)).toEqual(Object.keys(other.stateDict()));
    expectClose(dict["k_proj.weight"], other.stateDict()["k_proj.weight"], EXACT);

    const encoding = new remote.PositionalEncoding({ dim: 4 });
    expectClose(
      await encoding.forward(x),
      new qkv.PositionalEncoding({ dim: 4 }).forward(x),
      EXACT,
    );
    there.dispose();
    await expect(there.forward(x)).rejects.toMatchObject({ code: "disposed" });
  });

  it("gives the errors of this side", async () => {
    const here = () => {
      try {
        qkv.attention(x, x, [[1]]);
      } catch (error) {
        return error as QkvError;
      }
      throw new Error("it did not throw");
    };
    const there = await remote.attention(x, x, [[1]]).catch((error: unknown) => error);
    expect(there).toBeInstanceOf(QkvError);
    expect(there).toMatchObject({ code: "shape", message: here().message });
    await expect(remote.tensor("abc" as never)).rejects.toMatchObject({ code: "argument" });
    await expect(remote.tensor((() => 1) as never)).rejects.toMatchObject({ code: "argument" });
    await expect(remote.tensor(new Map() as never)).rejects.toThrow("a Map");
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    await expect(remote.attention(x, x, x, cycle)).rejects.toMatchObject({ code: "argument" });

    const broken = new remote.MultiHeadAttention({ embedDim: 10, numHeads: 3 });
    await expect(broken.ready).rejects.toMatchObject({ code: "argument" });
    await expect(broken.forward(x)).rejects.toThrow(/10.*3/);
    expect((await remote.attention([[1]], [[1]], [[7]])).output.toArray()).toEqual([[7]]);
  });

  it("carries calls out in their order, and takes arguments as they are when called", async () => {
    const data = new Float32Array([1]);
    const calls = [1, 2, 3].map((value) => {
      data[0] = value;
      return remote.attention([[1]], [[1]], { data, shape: [1, 1] });
    });
    const results = await Promise.all(calls);
    expect(results.map(({ output }) => output.data[0])).toEqual([1, 2, 3]);
  });
});

describe("another worker", () => {
  it("does not take the tensors of the first", async () => {
    const second = await loadInWorker({ variant, threads });
    const tensor = await remote.tensor(x);
    await expect(second.attention(tensor, x, x)).rejects.toThrow("one worker");
    second.terminate();
  });

  it("may be ended; what waits is rejected", async () => {
    const second = await loadInWorker({ variant, threads });
    const waiting = second.attention(x, x, x);
    second.terminate();
    await expect(waiting).rejects.toMatchObject({ code: "load" });
    await expect(second.memory()).rejects.toThrow("terminated");
  });

  it("says why it cannot load", async () => {
    await expect(loadInWorker({ variant, wasm: "file:///none.wasm" })).rejects.toMatchObject({
      name: "QkvError",
      code: "load",
      message: expect.stringContaining("none.wasm") as string,
    });
    await expect(loadInWorker({ variant: "mmx" as never })).rejects.toThrow('"mmx"');
  });
});
