// The native library, installed, moved elsewhere, and used the way its users do.
import { existsSync } from "node:fs";
import { readdir, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { EXAMPLE } from "./support/example.js";
import { FIXTURES, temporaryFolder, TOP } from "./support/folders.js";
import { buildLibrary, buildWithin, cmake, COMPILER, KINDS, LIBRARY_FOLDER } from "./support/native.js";
import { attempt, run } from "./support/processes.js";

const FIND_PACKAGE = join(FIXTURES, "cmake-find-package");
const PRINTED = `${EXAMPLE}\n`;

describe.each(KINDS)("the %s library, installed and moved", (kind) => {
  let build: string;
  let installedAt: string;
  let prefix: string;
  let found: string;
  let tool: string;
  let files: string[];

  beforeAll(async () => {
    build = await buildLibrary(kind);
    const folder = await temporaryFolder();
    installedAt = join(folder, "installed");
    await run("cmake", ["--install", build, "--prefix", installedAt]);
    prefix = join(folder, "moved");
    await rename(installedAt, prefix);
    // The second of the two places is one where CMake does not look by itself.
    found =
      kind === "static"
        ? `-DCMAKE_PREFIX_PATH=${prefix}`
        : `-Dqkv_DIR=${join(prefix, LIBRARY_FOLDER[kind], "cmake", "qkv")}`;
    tool = join(prefix, "bin", "qkv");
    files = (await readdir(prefix, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  });

  it("is where it should be, and does not say where it was made", async () => {
    const library = kind === "static" ? "libqkv.a" : "libqkv.so";
    expect(existsSync(join(prefix, LIBRARY_FOLDER[kind], library))).toBe(true);
    expect(files).not.toHaveLength(0);
    for (const file of files) {
      const text = await readFile(file, "latin1");
      for (const place of [TOP, installedAt]) expect(text.includes(place), file).toBe(false);
    }
  });

  it("is found by find_package", async () => {
    const folder = await temporaryFolder();
    await cmake(FIND_PACKAGE, folder, [found]);
    expect(await run(join(folder, "consumer"), [])).toBe(PRINTED);
  });

  it("is refused by find_package where another version is wanted", async () => {
    const folder = await temporaryFolder();
    const args = ["-S", join(FIXTURES, "cmake-later-version"), "-B", folder, found];
    const { code, stderr } = await attempt("cmake", args);
    expect(code).not.toBe(0);
    expect(stderr).toContain(`version: ${manifest.version}`);
  });

  it("is found by pkg-config", async () => {
    const libraries = join(prefix, LIBRARY_FOLDER[kind]);
    const env = { PKG_CONFIG_PATH: join(libraries, "pkgconfig") };
    const flags = await run("pkg-config", ["--cflags", "--libs", "qkv"], { env });
    const program = join(await temporaryFolder(), "consumer");
    const source = join(FIND_PACKAGE, "main.cpp");
    await run(COMPILER, ["-std=c++20", source, "-o", program, ...flags.trim().split(/\s+/)]);
    expect(await run(program, [], { env: { LD_LIBRARY_PATH: libraries } })).toBe(PRINTED);
    expect(await run("pkg-config", ["--modversion", "qkv"], { env })).toBe(`${manifest.version}\n`);
  });

  it("has a tool that tells what it is", async () => {
    const lines = (await run(tool, ["info"])).split("\n");
    expect(lines[0]).toBe(`qkv ${manifest.version}`);
    expect(lines[1]).toMatch(/^backends:( avx512)?( avx2)?( sse2| neon64)? scalar$/);
    expect(lines[2]).toMatch(/^in use: +(avx512|avx2|sse2|neon64|scalar)$/);
    expect(lines[3]).toMatch(/^threads: +[1-9]\d*$/);
  });

  it("has a tool that computes the worked example on every backend", async () => {
    const [, names = ""] = /^backends:(.*)$/m.exec(await run(tool, ["info"])) ?? [];
    for (const backend of names.trim().split(" ")) {
      const printed = await run(tool, ["example"], { env: { QKV_BACKEND: backend } });
      for (const row of EXAMPLE.split("\n")) expect(printed, backend).toContain(`  ${row}\n`);
    }
  });

  it.each([[[]], [["nonsense"]], [["info", "more"]]])("has a tool that refuses %j", async (words) => {
    const { code, stdout, stderr } = await attempt(tool, words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^usage: qkv info .*\n +qkv example /);
  });

  it("has a tool that names a backend it does not have", async () => {
    for (const word of ["info", "example"]) {
      const { code, stderr } = await attempt(tool, [word], { env: { QKV_BACKEND: "nonsense" } });
      expect(code).toBe(1);
      expect(stderr).toMatch(/^qkv: .*QKV_BACKEND.*nonsense.*\n$/);
    }
  });

  it("has examples that run", async () => {
    const examples = (await readdir(join(TOP, "native", "examples"))).filter((name) => /\.cpp$/.test(name));
    expect(examples).not.toHaveLength(0);
    for (const name of examples) {
      const program = join(build, "native", `qkv-example-${name.replace(".cpp", "")}`);
      expect(await run(program, []), name).not.toBe("");
    }
  });

  it("has headers that compile each by itself, with exceptions and without", async () => {
    const folder = join(prefix, "include");
    const headers = files.filter((file) => file.startsWith(folder));
    expect(headers).not.toHaveLength(0);
    const defined = kind === "shared" ? ["-DQKV_SHARED"] : [];
    for (const header of headers) {
      const compile = (exceptions: string) =>
        run(COMPILER, [
          ...["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror", exceptions],
          ...[...defined, "-I", folder, "-include", header, "-x", "c++", "/dev/null"],
        ]);
      await Promise.all([compile("-fexceptions"), compile("-fno-exceptions")]);
    }
  });
});

describe("the library as a folder of another project", () => {
  let folder: string;

  beforeAll(async () => {
    folder = await buildWithin();
  });

  it("is built with it", async () => {
    expect(await run(join(folder, "consumer"), [])).toBe(PRINTED);
  });

  it("leaves its tools and tests aside", () => {
    expect(existsSync(join(folder, "qkv", "native", "qkv"))).toBe(false);
    expect(existsSync(join(folder, "qkv", "tests"))).toBe(false);
  });
});
