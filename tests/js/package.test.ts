// What the package consists of, and promises about its files.
import { readdirSync, readFileSync } from "node:fs";
import * as index from "qkv";
import * as worker from "qkv/worker";
import { describe, expect, it } from "vitest";
import { qkv, variant } from "./support/qkv.js";

const top = new URL("../../", import.meta.url);
const read = (name: string) => readFileSync(new URL(name, top), "utf8");
const files = readdirSync(new URL("dist", top));
const manifest = JSON.parse(read("package.json")) as Record<string, unknown>;

describe("the package", () => {
  it("exports these names", () => {
    expect(Object.keys(index).sort()).toEqual(["QkvError", "Tensor", "load", "mask"]);
    expect(Object.keys(worker).sort()).toEqual([
      ...["QkvError", "WorkerMultiHeadAttention", "WorkerPositionalEncoding", "WorkerTensor"],
      "loadInWorker",
    ]);
    expect(worker.QkvError).toBe(index.QkvError);
  });

  it("has these functions", () => {
    expect(Object.keys(qkv).sort()).toEqual([
      ...["MultiHeadAttention", "PositionalEncoding", "attention", "attentionPooling", "backend"],
      ...["clusteredAttention", "compressedAttention", "conv1d", "fnet", "gmlp", "hardAttention"],
      ...["kMeans", "linear", "linearAttention", "linformer", "locationAttention", "lshAttention"],
      ...["maskMatrix", "maskStats", "mechanisms", "memory", "mlpMixer", "offsetHeads", "position"],
      ...["rnn", "routingAttention", "selfAttentionBlock", "sinkhornAttention", "synthesizer"],
      ...["tensor", "topKAttention", "version"],
    ]);
    expect(Object.keys(qkv.position).sort()).toEqual([
      ...["alibi", "alibiSlopes", "binary", "learned", "relativeBias", "rotary", "rotation"],
      "sinusoidal",
    ]);
    expect(Object.keys(index.mask).sort()).toEqual([
      ...["and", "bigBird", "blockLocal", "blocks", "causal", "dilated", "edges", "global"],
      ...["ignore", "keep", "lengths", "longformer", "not", "or", "perHead", "random"],
      ...["segments", "sparseTransformer", "strided", "window"],
    ]);
  });

  it("has one version", () => {
    const cmake = /project\(\s*qkv\s+VERSION\s+([\d.]+)/.exec(read("CMakeLists.txt"))?.[1];
    expect(qkv.version).toBe(cmake);
    expect(manifest["version"]).toBe(cmake);
    const lock = JSON.parse(read("package-lock.json")) as { version: string };
    expect(lock.version).toBe(cmake);
  });

  it("does nothing at import, and is an ES module", () => {
    expect(manifest).toMatchObject({ type: "module", sideEffects: false, license: "MIT" });
    for (const [name, entry] of Object.entries(manifest["exports"] as Record<string, object>)) {
      if (!name.endsWith(".wasm")) expect(Object.keys(entry)).toEqual(["types", "default"]);
    }
  });

  it("has no code that a strict policy forbids or a bundler stumbles over", () => {
    const scripts = files.filter((name) => name.endsWith(".js"));
    expect(scripts.length).toBeGreaterThan(2);
    for (const name of scripts) {
      const text = read(`dist/${name}`);
      for (const pattern of [/\beval\s*\(/, /new Function\b/, /\brequire\s*\(/, /\bimport\s*\(/]) {
        expect(text, name).not.toMatch(pattern);
      }
    }
  });

  it("names each file beside it by a literal that bundlers know", () => {
    const text = files
      .filter((name) => name.endsWith(".js"))
      .map((name) => read(`dist/${name}`))
      .join("");
    const named = [...text.matchAll(/new URL\("([^"]+)",\s*import\.meta\.url\)/g)].map(
      (match) => match[1],
    );
    expect(named.sort()).toEqual([
      "./pool-thread.js",
      "./qkv.relaxed.threads.wasm",
      "./qkv.relaxed.wasm",
      "./qkv.simd128.threads.wasm",
      "./qkv.simd128.wasm",
      "./worker-thread.js",
    ]);
    for (const name of named) expect(files).toContain(name.slice(2));
    const started = text.matchAll(
      /new Worker\(new URL\("([^"]+)",\s*import\.meta\.url\),\s*\{\s*type:\s*"module"\s*\}\)/g,
    );
    const scripts = Array.from(started, (match) => match[1]);
    expect(scripts.sort()).toEqual(["./pool-thread.js", "./worker-thread.js"]);
  });

  it("declares its types without `any`", () => {
    const declarations = files.filter((name) => name.endsWith(".d.ts"));
    expect(declarations).toContain("index.d.ts");
    for (const name of declarations) {
      const code = read(`dist/${name}`).replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
      expect(code, name).not.toMatch(/\bany\b/);
    }
  });

  it("has a simd128 binary without relaxed instructions", () => {
    // Node 20 accepts no relaxed instruction without its flag; this is the project that lacks it.
    const bytes = readFileSync(new URL("dist/qkv.simd128.wasm", top));
    expect(WebAssembly.validate(bytes)).toBe(true);
    expect(variant === "relaxed" || qkv.backend.variant === "simd128").toBe(true);
  });
});

describe("a mask", () => {
  it("is a plain frozen description", () => {
    expect(index.mask.causal()).toEqual({ kind: "causal", offset: 0 });
    expect(index.mask.causal({ offset: undefined })).toEqual({ kind: "causal", offset: 0 });
    expect(index.mask.window({ left: 2 })).toEqual({ kind: "window", left: 2 });
    expect(index.mask.strided({ stride: 3 })).toEqual({
      kind: "strided",
      stride: 3,
      causal: false,
    });
    expect(index.mask.lengths({ key: [1] })).toEqual({ kind: "lengths", key: [1] });
    expect(index.mask.not(index.mask.causal())).toEqual({
      kind: "not",
      mask: { kind: "causal", offset: 0 },
    });
    expect(index.mask.keep([[true]])).toEqual({ kind: "keep", matrix: [[true]] });
    expect(Object.isFrozen(index.mask.and(index.mask.causal()))).toBe(true);
    expect(JSON.parse(JSON.stringify(index.mask.causal({ offset: "end" })))).toEqual({
      kind: "causal",
      offset: "end",
    });
  });
});

describe("functions", () => {
  it("may be taken off their object", () => {
    const { attention, tensor, position, memory } = qkv;
    const { sinusoidal } = position;
    expect(attention(tensor([[1]]), [[1]], [[2]]).output.toArray()).toEqual([[2]]);
    expect(sinusoidal({ length: 1, dim: 2 }).toArray()).toEqual([[0, 1]]);
    expect(memory().total).toBeGreaterThan(0);
  });

  it("give only the results that were asked for", () => {
    expect(Object.keys(qkv.attention([[1]], [[1]], [[1]]))).toEqual(["output"]);
    const returns = { weights: true, scores: true, logSumExp: true } as const;
    expect(Object.keys(qkv.attention([[1]], [[1]], [[1]], { returns })).sort()).toEqual([
      ...["logSumExp", "output", "scores", "weights"],
    ]);
  });

  it("write into an array of the caller's", () => {
    const out = new Float32Array(2);
    const { output } = qkv.attention([[1], [2]], [[1]], [[7]], { out });
    expect(output.data).toBe(out);
    expect([...out]).toEqual([7, 7]);
    const layer = new qkv.MultiHeadAttention({ embedDim: 2, numHeads: 1 });
    const x = [[1, 2]];
    expect(layer.forward(x, x, x, { out: new Float32Array(2) }).output.data).toEqual(
      layer.forward(x).output.data,
    );
  });
});

describe("layers", () => {
  const x = {
    data: Float32Array.from({ length: 24 }, (_, index) => (index % 5) - 2),
    shape: [1, 3, 8],
  };
  const config = { embedDim: 8, numHeads: 2, dropout: 0.5, seed: 11 };

  it("are made by their config", () => {
    const layer = new qkv.MultiHeadAttention(config);
    expect(layer.config).toEqual(config);
    expect(layer).toBeInstanceOf(qkv.MultiHeadAttention);
    expect(layer.forward(x).output.shape).toEqual([1, 3, 8]);
    const same = new qkv.MultiHeadAttention(config);
    expect(same.forward(x).output.data).toEqual(layer.forward(x).output.data);
    const other = new qkv.MultiHeadAttention({ ...config, seed: 12 });
    expect(other.forward(x).output.data).not.toEqual(layer.forward(x).output.data);
  });

  it("drop out in training only, differently in each call, and the same in each run", () => {
    const run = () => {
      const layer = new qkv.MultiHeadAttention(config);
      const train = () => layer.forward(x, x, x, { training: true }).output.data;
      return [layer.forward(x).output.data, train(), train(), layer.forward(x).output.data];
    };
    const [plain, first, second, again] = run();
    expect(again).toEqual(plain);
    expect(first).not.toEqual(plain);
    expect(second).not.toEqual(first);
    expect(run()).toEqual([plain, first, second, again]);
    const layer = new qkv.MultiHeadAttention(config);
    expect(layer.forward(x, x, x, { training: true, seed: 11 + 1 }).output.data).toEqual(second);
  });

  it("give and take their parameters", () => {
    const [from, to] = [1, 2].map((seed) => new qkv.MultiHeadAttention({ ...config, seed }));
    const before = to.stateDict();
    to.loadStateDict(from.stateDict());
    expect(to.forward(x).output.data).toEqual(from.forward(x).output.data);
    to.loadStateDict(before);
    expect(to.forward(x).output.data).not.toEqual(from.forward(x).output.data);
    expect(Object.keys(before)).toEqual([
      ...["q_proj.weight", "q_proj.bias", "k_proj.weight", "k_proj.bias"],
      ...["v_proj.weight", "v_proj.bias", "out_proj.weight", "out_proj.bias"],
    ]);
    expect(to.parameters()).toHaveLength(8);
    expect(to.parameters()[0].shape).toEqual([8, 8]);
  });

  it("keep their parameters when loading fails", () => {
    const layer = new qkv.MultiHeadAttention(config);
    const before = layer.forward(x).output.data;
    expect(() => layer.loadStateDict({ W_q: [[1]] })).toThrow();
    expect(layer.forward(x).output.data).toEqual(before);
  });

  it("give their memory back", () => {
    const after = [0, 1, 2, 3].map(() => {
      const before = qkv.memory().used;
      const layer = new qkv.MultiHeadAttention(config);
      expect(qkv.memory().used).toBeGreaterThanOrEqual(before + 4 * 8 * 8 * 4);
      layer[Symbol.dispose]();
      return qkv.memory().used;
    });
    expect(after[3]).toBe(after[2]);
  });

  it("add positions", () => {
    const layer = new qkv.PositionalEncoding({ dim: 8, maxLength: 5, dropout: 0.5, seed: 1 });
    expect(layer.table.shape).toEqual([5, 8]);
    const plain = layer.forward({ data: new Float32Array(24), shape: [3, 8] });
    expect([...plain.data]).toEqual([...layer.table.data.subarray(0, 24)]);
    const train = () => layer.forward(x, { training: true }).data;
    expect(train()).not.toEqual(train());
    layer.dispose();
    expect(() => layer.forward(x)).toThrow(expect.objectContaining({ code: "disposed" }));
  });
});
