// The packed npm package: what is in it, and that Node runs it from an otherwise empty folder.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { EXAMPLE } from "./support/example.js";
import { DIST, temporaryFolder, TOP } from "./support/folders.js";
import { installInto, pack, type Tarball } from "./support/package.js";
import { run } from "./support/processes.js";

const PRINTED = `${manifest.version}\n${EXAMPLE}\n`;

let tarball: Tarball;

beforeAll(async () => {
  tarball = await pack();
});

describe("the tarball", () => {
  it("holds what is meant to be in it, and nothing else", async () => {
    const kilobytes = (bytes: number) => `${(bytes / 1024).toFixed(1)} KB`;
    console.log(`tarball ${kilobytes(tarball.size)}, unpacked ${kilobytes(tarball.unpackedSize)}`);
    const [top, built] = [false, true].map((inside) =>
      tarball.files.filter((name) => name.startsWith("dist/") === inside).sort(),
    );
    expect(top).toEqual(["LICENSE", "README.md", "package.json"]);
    expect(built).toEqual((await readdir(DIST)).map((name) => `dist/${name}`).sort());
    for (const name of built ?? []) {
      expect(name).toMatch(
        /^dist\/([\w-]+\.d\.ts|(index|worker|worker-thread|pool-thread|chunk-\w+)\.js|qkv\.(simd128|relaxed)(\.threads)?\.wasm)$/,
      );
    }
  });

  it("holds every file that it promises", () => {
    const promised = Object.values(manifest.exports).flatMap((target) =>
      typeof target === "string" ? [target] : Object.values(target),
    );
    for (const path of promised) expect(tarball.files).toContain(path.replace("./", ""));
  });
});

describe("Node", () => {
  let folder: string;

  beforeAll(async () => {
    folder = await installInto("node", tarball);
  });

  it("gets one package and no other", async () => {
    expect(await readdir(join(folder, "node_modules"))).toEqual([".package-lock.json", "qkv"]);
  });

  it.each([
    ["an ES module", "esm.mjs"],
    ["a CommonJS module", "commonjs.cjs"],
    ["a worker", "worker.mjs"],
  ])("runs it in %s", async (_, script) => {
    expect(await run(process.execPath, [script], { cwd: folder })).toBe(PRINTED);
  });

  it("runs what esbuild bundles", async () => {
    // Into another folder, so that nothing can be read from the package.
    const outdir = await temporaryFolder();
    await build({
      absWorkingDir: folder,
      entryPoints: ["packed.mjs"],
      outdir,
      outExtension: { ".js": ".mjs" },
      bundle: true,
      platform: "node",
      format: "esm",
      loader: { ".wasm": "file" },
    });
    expect(await run(process.execPath, ["packed.mjs"], { cwd: outdir })).toBe(PRINTED);
  });
});

describe("TypeScript", () => {
  it.each(["bundler", "nodenext"])("understands its types, found the way of %s", async (way) => {
    const folder = await installInto("typescript", tarball);
    const compiler = join(TOP, "node_modules", "typescript", "bin", "tsc");
    await run(process.execPath, [compiler, "--project", `${way}.json`], { cwd: folder });
  });
});
