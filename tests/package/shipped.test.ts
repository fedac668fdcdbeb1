// The files of dist/ themselves: what they must not hold. How large they may be, the build says.
import { readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { load } from "qkv";
import { describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { DIST, TOP } from "./support/folders.js";
import { countAtomic, countRelaxed, countSimd } from "./support/wasm-instructions.js";

const files = readdirSync(DIST);
const ending = (end: string) => files.filter((name) => name.endsWith(end));
const bytes = (name: string) => readFileSync(join(DIST, name));
const text = (name: string) => bytes(name).toString("latin1");

describe("the JavaScript", () => {
  // A strict content security policy refuses the first two, bundlers for the web the last two.
  const forbidden = [/\bnew\s+Function\b/, /\beval\s*\(/, /\brequire\s*\(/, /\bcreateRequire\b/];

  it("has nothing in it that a policy or a bundler refuses", () => {
    expect(ending(".js")).toEqual(expect.arrayContaining(["index.js", "worker.js", "worker-thread.js", "pool-thread.js"]));
    for (const name of ending(".js")) {
      for (const pattern of forbidden) expect(text(name), name).not.toMatch(pattern);
    }
  });

  it("names the files beside it by literals, for bundlers to find", () => {
    const code = ending(".js").map(text).join("\n");
    const names = [...code.matchAll(/new URL\(([^()]*),\s*import\.meta\.url\)/g)].map((match) => match[1]);
    const beside = ["pool-thread.js", "qkv.relaxed.threads.wasm", "qkv.relaxed.wasm", "qkv.simd128.threads.wasm", "qkv.simd128.wasm", "worker-thread.js"];
    expect(names.sort()).toEqual(beside.map((name) => `"./${name}"`));
  });

  it("is declared without `any`", () => {
    expect(ending(".d.ts")).toEqual(expect.arrayContaining(["index.d.ts", "worker.d.ts"]));
    for (const name of ending(".d.ts")) {
      const code = text(name).replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
      expect(code, name).not.toMatch(/\bany\b/);
    }
  });

  it("has one version with the core and the manifests", async () => {
    const cmake = readFileSync(join(TOP, "CMakeLists.txt"), "utf8");
    const version = /project\(\s*qkv\s+VERSION\s+([\d.]+)/.exec(cmake)?.[1];
    expect(manifest.version).toBe(version);
    expect((await load()).version).toBe(version);
  });
});

describe("the binaries", () => {
  it("are for the instruction set in their name", () => {
    for (const threads of ["", ".threads"]) {
      const simd128 = countSimd(bytes(`qkv.simd128${threads}.wasm`));
      // The product and the sum of the kernels: f32x4.mul and f32x4.add.
      expect(simd128.get(0xe6)).toBeGreaterThan(50);
      expect(simd128.get(0xe4)).toBeGreaterThan(50);
      // A single relaxed instruction makes an older engine refuse the whole binary.
      expect(countRelaxed(bytes(`qkv.simd128${threads}.wasm`))).toBe(0);
      expect(countRelaxed(bytes(`qkv.relaxed${threads}.wasm`))).toBeGreaterThan(50);
    }
  });
});

describe("threads", () => {
  it("are only in the binaries that are named after them", () => {
    for (const variant of ["simd128", "relaxed"]) {
      expect(countAtomic(bytes(`qkv.${variant}.wasm`))).toBe(0);
      expect(countAtomic(bytes(`qkv.${variant}.threads.wasm`))).toBeGreaterThan(5);
    }
  });
});

describe("every file", () => {
  it("is silent about the machine that built it", () => {
    for (const name of files) {
      for (const place of [TOP, homedir()]) expect(text(name), name).not.toContain(place);
    }
    // Emscripten's glue names a home of its own, so the wider search is for the binaries only.
    for (const name of ending(".wasm")) {
      expect(text(name), name).not.toMatch(/\/(?:home|root|Users|tmp|usr|var|opt)\//);
    }
  });
});
