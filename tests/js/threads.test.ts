// Threads: how many there are, that they change no bit, and that nothing depends on having them.
import { execFile } from "node:child_process";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { load, mask, type AttentionOptions, type Qkv, type Tensor } from "qkv";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EXACT, expectClose } from "./support/compare.js";
import { qkv, threads, variant } from "./support/qkv.js";

const DIST = fileURLToPath(new URL("../../dist", import.meta.url));

function numbers(shape: readonly number[], seed: number) {
  const data = new Float32Array(shape.reduce((product, size) => product * size, 1));
  let state = seed;
  for (let index = 0; index < data.length; ++index) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    data[index] = (state >>> 8) / 2 ** 23 - 1;
  }
  return { data, shape };
}

describe("backend.threads", () => {
  it("is what was asked for", async () => {
    expect(qkv.backend).toEqual({ variant, threads, crossOriginIsolated: false });
    for (const count of [1, 3, 5]) {
      expect((await load({ variant, threads: count })).backend.threads).toBe(count);
    }
  });

  it("is by itself the number of cores", async () => {
    const cores = Math.min(availableParallelism(), 16);
    const { backend } = await load({ variant });
    expect(backend.threads).toBe(cores);
    expect(await load({ variant, threads: cores })).toBe(await load({ variant, threads: "auto" }));
  });
});

describe("any number of threads", () => {
  const query = numbers([2, 6, 150, 20], 1);
  const key = numbers([2, 3, 130, 20], 2);
  const value = numbers([2, 3, 130, 9], 3);
  const x = numbers([3, 200, 24], 4);
  const returns = { weights: true, scores: true, logSumExp: true } as const;
  const additive = {
    queryWeight: numbers([8, 20], 5),
    keyWeight: numbers([8, 20], 6),
    vector: numbers([8], 7),
  };
  const options: Readonly<Record<string, AttentionOptions>> = {
    "plain attention": {},
    "returned weights, scores and sums": { returns },
    "a causal mask": { mask: mask.causal(), softcap: 3 },
    "a random mask": { mask: mask.random({ count: 9, seed: 1 }), bias: numbers([150, 130], 8) },
    "masks of each head": {
      mask: mask.perHead(Array.from({ length: 6 }, (_, left) => mask.window({ left }))),
    },
    "an additive score": { score: { additive } },
    "a normalizer": { normalizer: "relu" },
    "keys that are drawn": { normalizer: { sample: { seed: 3 } } },
    dropout: { dropout: { p: 0.5, seed: 4 }, sinks: [0.5, 0, -0.5, 1, 2, 3] },
  };
  type Run = (core: Qkv) => Readonly<Record<string, Tensor | undefined>>;
  const cases: readonly (readonly [string, Run])[] = [
    ...Object.entries(options).map(([name, option]): [string, Run] => [
      name,
      (core) => core.attention(query, key, value, option),
    ]),
    ["rotation", (core) => ({ output: core.position.rotary(x, { offset: 5 }) })],
    ["a projection", (core) => ({ output: core.linear(x, numbers([70, 24], 9), numbers([70], 10)) })],
    [
      "a layer",
      (core) => {
        const layer = new core.MultiHeadAttention({ embedDim: 24, numHeads: 4, seed: 11 });
        return layer.forward(x, x, x, { returns: { weights: true } });
      },
    ],
  ];

  it.each(cases)("gives the same bits for %s", async (_, run) => {
    const want = run(await load({ variant, threads: 1 }));
    expect(Object.keys(want)).toContain("output");
    for (const count of [2, 3, 5]) {
      const core = await load({ variant, threads: count });
      for (let round = 0; round < 3; ++round) {
        const got = run(core);
        expect(Object.keys(got)).toEqual(Object.keys(want));
        for (const [name, tensor] of Object.entries(got)) {
          expectClose(tensor as Tensor, want[name] as Tensor, EXACT, `${name}, ${count} threads`);
        }
      }
    }
  });

  it("hands out memory that is not shared", () => {
    const { output, weights } = qkv.attention(query, key, value, { returns });
    const tensor = qkv.tensor(x);
    for (const { data } of [output, weights, tensor]) {
      const { buffer, length } = data;
      if (!(buffer instanceof ArrayBuffer)) throw new Error("the memory is shared");
      expect(structuredClone(data, { transfer: [buffer] })).toHaveLength(length);
    }
  });
});

describe("a script", () => {
  const attend = "console.log(qkv.backend.threads, qkv.attention([[1]], [[1]], [[1.5]]).output.data[0]);";

  it("ends by itself", async () => {
    expect(await script(`
      import { load } from "qkv";
      const qkv = await load({ variant: "${variant}", threads: 3 });
      ${attend}
    `)).toBe("3 1.5\n");
  });

  it("ends when it did not wait for its threads", async () => {
    expect(await script(`
      import { load } from "qkv";
      load({ variant: "${variant}", threads: 3 }).then((qkv) => { ${attend} });
    `)).toBe("3 1.5\n");
  });

  it("ends when its worker has threads", async () => {
    expect(await script(`
      import { loadInWorker } from "qkv/worker";
      const qkv = await loadInWorker({ variant: "${variant}", threads: 3 });
      const { output } = await qkv.attention([[1]], [[1]], [[1.5]]);
      console.log(qkv.backend.threads, output.data[0]);
    `)).toBe("3 1.5\n");
  });

  it("has one thread where memory cannot be shared", async () => {
    expect(await script(`
      delete globalThis.SharedArrayBuffer;
      const { load } = await import("qkv");
      for (const threads of ["auto", 4]) {
        const qkv = await load({ variant: "${variant}", threads });
        ${attend}
      }
    `)).toBe("1 1.5\n1 1.5\n");
  });

  it("has one thread where it may start no others", async () => {
    const flag = process.allowedNodeEnvironmentFlags.has("--permission") ? "" : "experimental-";
    expect(await script(`
      import { load } from "qkv";
      const qkv = await load({ variant: "${variant}", threads: 4 });
      ${attend}
    `, [`--${flag}permission`, "--allow-fs-read=*"])).toBe("1 1.5\n");
  });
});

describe("when the threads' script", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "qkv-threads-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  // The package with another script in that place.
  async function loadWith(name: string, text: string | undefined): Promise<string> {
    const copy = join(folder, name);
    await cp(DIST, copy, { recursive: true });
    await writeFile(join(copy, "package.json"), '{ "type": "module" }');
    await rm(join(copy, "pool-thread.js"));
    if (text !== undefined) await writeFile(join(copy, "pool-thread.js"), text);
    return script(`
      const { load } = await import(${JSON.stringify(pathToFileURL(join(copy, "index.js")).href)});
      const qkv = await load({ variant: "${variant}", threads: 3 });
      console.log(qkv.backend.threads, qkv.attention([[1]], [[1]], [[1.5]]).output.data[0]);
    `);
  }

  it("is missing, there is one thread", async () => {
    expect(await loadWith("missing", undefined)).toBe("1 1.5\n");
  });

  it("fails, there is one thread", async () => {
    expect(await loadWith("fails", "throw new Error('not today');")).toBe("1 1.5\n");
  });

  it("never answers, there is one thread after a while", async () => {
    expect(await loadWith("silent", "setInterval(() => {}, 1000);")).toBe("1 1.5\n");
  });
});

/** Runs a script that has to end, with success, and gives what it printed. */
function script(text: string, flags: readonly string[] = []): Promise<string> {
  const args = [...process.execArgv.filter((flag) => flag.includes("relaxed")), ...flags];
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [...args, "--no-warnings", "--input-type=module", "--eval", text],
      { cwd: DIST, timeout: 30_000 },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Error(`${error.message}\n${stdout}${stderr}`));
      },
    );
  });
}
