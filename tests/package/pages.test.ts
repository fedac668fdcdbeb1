// The installed package in real pages: with and without a bundler, and under a strict policy.
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
const RIGHT = { page: EXAMPLE, worker: EXAMPLE, problems: [] };

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

describe("Vite", () => {
  it("serves it in development", async () => {
    const server = await createServer({
      root: folder,
      configFile: false,
      logLevel: "warn",
      server: { host: "127.0.0.1" },
    });
    try {
      await server.listen();
      const [url] = server.resolvedUrls?.local ?? [];
      expect(await visit(browser, url as string)).toEqual(RIGHT);
    } finally {
      await server.close();
    }
  });

  it("builds it", async () => {
    await viteBuild({ root: folder, configFile: false, logLevel: "warn" });
    expect(await open(join(folder, "dist"), "")).toEqual(RIGHT);
  });
});

describe("esbuild", () => {
  it("bundles it", async () => {
    await esbuild({
      absWorkingDir: folder,
      entryPoints: {
        esbuild: "esbuild.js",
        "worker-thread": "node_modules/qkv/dist/worker-thread.js",
      },
      outdir: "bundled",
      bundle: true,
      format: "esm",
      loader: { ".wasm": "file" },
    });
    expect(await open(folder, "esbuild.html")).toEqual(RIGHT);
  });
});
