// Loading: the same object for the same options, every way to give the binary, and what is said when
// something else is found in its place.
import { readFile, writeFile } from "node:fs/promises";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { load, QkvError, type LoadOptions } from "qkv";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { variant } from "./support/qkv.js";

const file = new URL(`../../dist/qkv.${variant}.wasm`, import.meta.url);
const HTML = "<!doctype html><title>Not here</title>";

type Answer = (response: ServerResponse) => void;
const answers: Record<string, Answer> = {
  "/good.wasm": (response) => void send(response, "application/wasm"),
  "/untyped": (response) => void send(response, "application/octet-stream"),
  "/page": (response) => response.setHeader("content-type", "text/html").end(HTML),
  "/page-as-wasm": (response) => response.setHeader("content-type", "application/wasm").end(HTML),
  "/empty": (response) => response.end(),
  "/cut.wasm": (response) => {
    response.setHeader("content-type", "application/wasm");
    void readFile(file).then((bytes) => response.end(bytes.subarray(0, 1000)));
  },
  "/broken": (response) => response.destroy(),
};

async function send(response: ServerResponse, type: string): Promise<void> {
  const bytes = await readFile(file);
  response.setHeader("content-type", type).end(bytes);
}

let server: Server;
let origin: string;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "qkv-load-"));
  server = createServer((request, response) => {
    const answer = answers[request.url ?? ""];
    if (answer === undefined) response.writeHead(404).end(HTML);
    else answer(response);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await new Promise((closed) => server.close(closed));
  await rm(folder, { recursive: true, force: true });
});

async function works(wasm: LoadOptions["wasm"]): Promise<void> {
  const qkv = await load({ variant, threads: 1, wasm });
  expect(qkv.attention([[1]], [[1]], [[1.5]]).output.toArray()).toEqual([[1.5]]);
  expect(qkv.backend).toEqual({ variant, threads: 1, crossOriginIsolated: false });
}

describe("load", () => {
  it("gives the same object for the same options", async () => {
    const options = { variant, threads: 1 };
    const [first, second] = await Promise.all([load(options), load({ ...options })]);
    expect(second).toBe(first);
    expect(await load({ ...options, threads: 2 })).not.toBe(first);
    expect(await load({ ...options, wasm: file })).toBe(await load({ ...options, wasm: file.href }));
  });

  it("picks the best binary that the engine accepts", async () => {
    const { backend } = await load();
    expect(backend.variant).toBe(variant);
  });

  it("takes a file, by URL or by path", async () => {
    await works(file);
    await works(file.href);
    await works(file.pathname);
    await works(relative(process.cwd(), file.pathname));
  });

  it("takes the bytes, or a module", async () => {
    const bytes = await readFile(file);
    const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    await works(buffer as ArrayBuffer);
    const module = await WebAssembly.compile(bytes);
    await works(module);
    expect(await load({ variant, wasm: module })).toBe(await load({ variant, wasm: module }));
  });

  it("fetches it, whatever type the server gives it", async () => {
    await works(`${origin}/good.wasm`);
    await works(new URL(`${origin}/untyped`));
  });

  it("keeps two cores apart", async () => {
    const first = await load({ variant });
    const second = await load({ variant, wasm: await WebAssembly.compile(await readFile(file)) });
    expect(second).not.toBe(first);
    const tensor = first.tensor([[1, 2]]);
    const attend = () => second.attention(tensor, tensor, tensor).output;
    for (let warm = 0; warm < 3; ++warm) expect(attend().toArray()).toEqual([[1, 2]]);
    const before = second.memory().used;
    attend();
    expect(second.memory().used).toBe(before);
    tensor.dispose();
  });

  const failures: readonly [string, () => LoadOptions, readonly string[]][] = [
    [
      "a page",
      () => ({ wasm: `${origin}/page` }),
      ["got HTML (3c 21 64 6f ...)", "/page", `serves qkv.${variant}.wasm`],
    ],
    [
      "a page that claims to be wasm",
      () => ({ wasm: `${origin}/page-as-wasm` }),
      ["got HTML (3c 21", "/page-as-wasm"],
    ],
    [
      "a page that says not found",
      () => ({ wasm: `${origin}/missing` }),
      ["status 404", "/missing", `serves qkv.${variant}.wasm`],
    ],
    ["nothing", () => ({ wasm: `${origin}/empty` }), ["got no bytes", "/empty"]],
    ["part of the file", () => ({ wasm: `${origin}/cut.wasm` }), ["cannot compile", "/cut.wasm"]],
    ["no answer", () => ({ wasm: `${origin}/broken` }), ["cannot fetch", "/broken"]],
    [
      "no file",
      () => ({ wasm: pathToFileURL(join(folder, "none.wasm")) }),
      ["cannot read", "none.wasm", "ENOENT"],
    ],
    ["bytes of a page", () => ({ wasm: encode(HTML) }), ["got HTML (3c 21", "the given bytes"]],
    ["other bytes", () => ({ wasm: encode("garbage") }), ["not WebAssembly (67 61 72 62 ...)"]],
    ["no bytes", () => ({ wasm: new ArrayBuffer(0) }), ["got no bytes"]],
    ["a module of something else", () => ({ wasm: other() }), ["does not start"]],
    ["no URL", () => ({ wasm: "http://" }), ["wasm", '"http://"']],
    ["a number", () => ({ wasm: 5 as unknown as string }), ["wasm", "5"]],
    ["an unknown variant", () => ({ variant: "mmx" as "auto" }), ["variant", '"mmx"']],
    ["no threads", () => ({ threads: 0 }), ["threads", "0"]],
    ["half a thread", () => ({ threads: 1.5 }), ["threads", "1.5"]],
    ["too many threads", () => ({ threads: 1e9 }), ["threads", "1024", "1000000000"]],
    ["threads in a word", () => ({ threads: "x" as "auto" }), ["threads", '"auto"', '"x"']],
    ["threads in a list", () => ({ threads: [2] as unknown as number }), ["threads", "an array"]],
    ["an unknown option", () => ({ simd: true }) as LoadOptions, ['"simd"']],
    ["a word", () => "fast" as LoadOptions, ["options", '"fast"']],
  ];

  it.each(failures)(
    "says what is wrong with %s, and may be tried again",
    async (_, options, words) => {
      for (let attempt = 0; attempt < 2; ++attempt) {
        const given = options();
        const error = await load(typeof given === "object" ? { variant, ...given } : given).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        expect(error).toBeInstanceOf(QkvError);
        expect(error).toMatchObject({ code: "load" });
        for (const word of words) expect((error as QkvError).message).toContain(word);
      }
      await works(undefined);
    },
  );

  it("says which file is a page, when it is read from a disk", async () => {
    const page = join(folder, "page.wasm");
    await writeFile(page, HTML);
    await expect(load({ variant, wasm: page })).rejects.toThrow(/got HTML \(3c 21 .*page\.wasm/);
  });
});

function encode(text: string): ArrayBuffer {
  return new TextEncoder().encode(text).buffer as ArrayBuffer;
}

/** A valid module without any exports. */
function other(): ArrayBuffer {
  return new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]).buffer;
}
