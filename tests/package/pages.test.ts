// The installed package in real pages: with and without a bundler, and under a strict policy.
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { build as esbuild } from "esbuild";
import type { Browser } from "playwright-core";
import { build as viteBuild, createServer } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launch, visit } from "./support/browser.js";
import { EXAMPLE } from "./support/example.js";
import { installInto, pack } from "./support/package.js";
import { serve, type ServerOptions } from "./support/server.js";

const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "connect-src 'self'",
  "worker-src 'self'",
].join("; ");
const RIGHT = { page: EXAMPLE, worker: EXAMPLE, threads: ["1", "1"], problems: [] };

// What a server adds for pages that are to share memory between threads.
const ISOLATED = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
};
const TWO = { ...RIGHT, threads: ["2", "2"] };

let browser: Browser;
let folder: string;

beforeAll(async () => {
  folder = await installInto("web", await pack());
  browser = await launch();
});

afterAll(() => browser?.close());

async function open(files: string, name: string, options?: ServerOptions) {
  const server = await serve(files, options);
  try {
    return await visit(browser, server.url + name);
  } finally {
    await server.close();
  }
}

describe("without a bundler", () => {
  it("works by an import map", async () => {
    expect(await open(folder, "import-map.html")).toEqual(RIGHT);
  });

  it("works under a strict content security policy", async () => {
    const headers = { "content-security-policy": POLICY };
    expect(await open(folder, "strict.html", { headers })).toEqual(RIGHT);
    // The policy is in force: it refuses the other page's import map.
    const refused = await open(folder, "import-map.html", { headers }).catch(String);
    expect(refused).toContain("refused by the policy: script-src-elem inline");
  });

  it("says so when the server answers with a page where the binary should be", async () => {
    const shown = await open(folder, "import-map.html", { application: /\.wasm$/ });
    for (const text of [shown.page, shown.worker]) {
      expect(text).toMatch(
        /^QkvError load: load: got HTML \(3c 21 64 6f \.\.\.\) from http:\/\/127\.0\.0\.1:\d+\/node_modules\/qkv\/dist\/qkv\.(simd128|relaxed)\.wasm; /,
      );
    }
  });
});

describe("threads", () => {
  const headers = ISOLATED;

  it("are as many as there are cores, or as many as were asked for", async () => {
    const cores = String(Math.min(availableParallelism(), 16));
    const shown = await open(folder, "import-map.html", { headers });
    expect(shown).toEqual({ ...RIGHT, threads: [cores, cores] });
    const asked = await open(folder, "import-map.html?threads=3", { headers });
    expect(asked).toEqual({ ...RIGHT, threads: ["3", "3"] });
  });

  it("are one in a page that is not isolated, also when more were asked for", async () => {
    expect(await open(folder, "import-map.html?threads=2")).toEqual(RIGHT);
  });

  it("work under a strict content security policy", async () => {
    const strict = { ...headers, "content-security-policy": POLICY };
    expect(await open(folder, "strict.html?threads=2", { headers: strict })).toEqual(TWO);
  });

  it("are one when a policy forbids workers", async () => {
    const policy = POLICY.replace("worker-src 'self'", "worker-src 'none'");
    const strict = { ...headers, "content-security-policy": policy };
    const shown = await open(folder, "strict.html?threads=2", { headers: strict });
    expect(shown).toMatchObject({ page: EXAMPLE, threads: ["1", null] });
    expect(shown.worker).toContain("QkvError load");
  });

  it("are one when the server answers with a page where their script should be", async () => {
    const application = /pool-thread\.js$/;
    const shown = await open(folder, "import-map.html?threads=2", { headers, application });
    expect(shown).toMatchObject({ page: EXAMPLE, worker: EXAMPLE, threads: ["1", "1"] });
  });
});

describe("Vite", () => {
  it("serves it in development", async () => {
    expect(await develop({})).toEqual(RIGHT);
    expect(await develop(ISOLATED)).toEqual(TWO);
  });

  async function develop(headers: Record<string, string>) {
    const server = await createServer({
      root: folder,
      configFile: false,
      logLevel: "warn",
      server: { host: "127.0.0.1", headers },
    });
    try {
      await server.listen();
      const [url] = server.resolvedUrls?.local ?? [];
      return await visit(browser, `${url}?threads=2`);
    } finally {
      await server.close();
    }
  }

  it("builds it", async () => {
    await viteBuild({ root: folder, configFile: false, logLevel: "warn" });
    const built = join(folder, "dist");
    expect(await open(built, "")).toEqual(RIGHT);
    expect(await open(built, "?threads=2", { headers: ISOLATED })).toEqual(TWO);
  });
});

describe("esbuild", () => {
  it("bundles it", async () => {
    await esbuild({
      absWorkingDir: folder,
      entryPoints: {
        esbuild: "esbuild.js",
        "worker-thread": "node_modules/qkv/dist/worker-thread.js",
        "pool-thread": "node_modules/qkv/dist/pool-thread.js",
      },
      outdir: "bundled",
      bundle: true,
      format: "esm",
      loader: { ".wasm": "file" },
    });
    expect(await open(folder, "esbuild.html")).toEqual(RIGHT);
    // The binary that is given has threads or has not; this one has not.
    expect(await open(folder, "esbuild.html?threads=2", { headers: ISOLATED })).toEqual(RIGHT);
    expect(await open(folder, "esbuild.html?threads=2&binary=threads", { headers: ISOLATED })).toEqual(TWO);
  });
});
