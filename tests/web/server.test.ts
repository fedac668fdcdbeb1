// The static server: headers, caching, and nothing outside of its folder.
import { mkdtemp, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, request, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { portOf, serve } from "../../web/server.mjs";

let top: string;
let server: Awaited<ReturnType<typeof serve>>;

beforeAll(async () => {
  top = await mkdtemp(join(tmpdir(), "qkv-server-"));
  const folder = join(top, "site");
  await mkdir(join(folder, "assets"), { recursive: true });
  await writeFile(join(top, "secret.txt"), "secret");
  await writeFile(join(folder, "index.html"), "<!doctype html><title>Home</title>");
  await writeFile(join(folder, "theme.js"), "void 0;");
  await writeFile(join(folder, "assets", "qkv-AbCd_123.wasm"), Buffer.from([0, 0x61, 0x73, 0x6d]));
  await writeFile(join(folder, "a b.txt"), "blank");
  await symlink(join(top, "secret.txt"), join(folder, "link.txt"));
  server = await serve({ folder, port: 0 });
});
afterAll(async () => {
  await server.close();
  await rm(top, { recursive: true });
});

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

/** Sends the path as it is: fetch would tidy it up first. */
function ask(path: string, method = "GET", headers: Record<string, string> = {}): Promise<Answer> {
  const { hostname, port } = new URL(server.url);
  return new Promise((done, failed) => {
    const sent = request({ hostname, port, path, method, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", () =>
        done({
          status: response.statusCode!,
          headers: response.headers,
          body: Buffer.concat(parts),
        }),
      );
    });
    sent.on("error", failed);
    sent.end();
  });
}

it.each(["/", "/theme.js", "/assets/qkv-AbCd_123.wasm", "/nothing"])(
  "isolates and protects %s",
  async (path) => {
    const { headers } = await ask(path);
    expect(headers["cross-origin-opener-policy"]).toBe("same-origin");
    expect(headers["cross-origin-embedder-policy"]).toBe("require-corp");
    expect(headers["cross-origin-resource-policy"]).toBe("same-origin");
    expect(headers["x-content-type-options"]).toBe("nosniff");
    const policy = headers["content-security-policy"]!;
    expect(policy).toContain("default-src 'self'");
    expect(policy).toContain("script-src 'self' 'wasm-unsafe-eval'");
    expect(policy).not.toContain("unsafe-inline");
    expect(policy).not.toContain("'unsafe-eval'");
  },
);

it("gives each file its type", async () => {
  expect((await ask("/")).headers["content-type"]).toBe("text/html; charset=utf-8");
  expect((await ask("/theme.js")).headers["content-type"]).toBe("text/javascript; charset=utf-8");
  const module = await ask("/assets/qkv-AbCd_123.wasm");
  expect(module.headers["content-type"]).toBe("application/wasm");
  expect([...module.body]).toEqual([0, 0x61, 0x73, 0x6d]);
});

it("lets only files with a hash in their name be kept for ever", async () => {
  expect((await ask("/assets/qkv-AbCd_123.wasm")).headers["cache-control"]).toMatch(/immutable/);
  for (const path of ["/", "/theme.js", "/nothing"]) {
    expect((await ask(path)).headers["cache-control"]).toBe("no-cache");
  }
});

it("answers 304 when nothing has changed", async () => {
  const { headers } = await ask("/");
  const again = await ask("/", "GET", { "If-None-Match": headers.etag! });
  expect(again.status).toBe(304);
  expect(again.body).toHaveLength(0);
});

it("compresses for those who can unpack", async () => {
  const { headers, body } = await ask("/", "GET", { "Accept-Encoding": "gzip" });
  expect(headers["content-encoding"]).toBe("gzip");
  expect(gunzipSync(body).toString()).toContain("Home");
  const smaller = await ask("/", "GET", { "Accept-Encoding": "gzip, br" });
  expect(smaller.headers["content-encoding"]).toBe("br");
  expect(brotliDecompressSync(smaller.body).toString()).toContain("Home");
});

it("answers HEAD with the headers alone", async () => {
  const { status, headers, body } = await ask("/theme.js", "HEAD");
  expect([status, headers["content-length"], body.length]).toEqual([200, "7", 0]);
});

it("refuses what it does not do", async () => {
  const { status, headers } = await ask("/", "POST");
  expect([status, headers.allow]).toEqual([405, "GET, HEAD"]);
});

it("finds names with blanks and a query behind the path", async () => {
  expect((await ask("/a%20b.txt")).body.toString()).toBe("blank");
  expect((await ask("/?lang=en")).status).toBe(200);
});

it.each([
  "/nothing",
  "/assets",
  "/assets/",
  "/theme.js/",
  "/../secret.txt",
  "/..%2fsecret.txt",
  "/%2e%2e/secret.txt",
  "/assets/../../secret.txt",
  "/..\\secret.txt",
  "/%00",
  "/%E0%A4%A",
  "/link.txt",
  "//secret.txt",
])("answers 404 to %s", async (path) => {
  const { status, headers, body } = await ask(path);
  expect(status).toBe(404);
  expect(headers["content-type"]).toMatch(/^text\/html/);
  expect(body.toString()).not.toContain("secret");
});

describe("the port", () => {
  it("is the next one when it is taken", async () => {
    const other = createServer();
    await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
    const { port } = other.address() as AddressInfo;
    const second = await serve({ folder: join(top, "site"), port });
    expect(Number(new URL(second.url).port)).toBeGreaterThan(port);
    await second.close();
    await new Promise((done) => other.close(done));
  });

  it.each(["", "http", "-1", "65536", "80.5"])("cannot be “%s”", (text) => {
    expect(() => portOf(text)).toThrow(`"${text}" is not a port`);
  });
});
