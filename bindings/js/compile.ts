// From a place, or bytes, to a compiled module. Most failures here are a server that does not have
// the file and answers with a page: the message says what was found and where.
import { nodeModule } from "./engine.js";
import { messageOf, QkvError } from "./errors.js";
import type { WasmSource } from "./locate.js";

const MAGIC = [0x00, 0x61, 0x73, 0x6d];

/** Compiles what is at `source`. `file` is the name it has in the package, for messages. */
export async function compile(source: WasmSource, file: string): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof ArrayBuffer) return compileBytes(source, "the given bytes", file);
  const reader = source.protocol === "file:" ? nodeModule<Files>("node:fs/promises") : undefined;
  return reader === undefined
    ? compileFetched(source, file)
    : compileBytes(await readFile(reader, source), source.href, file);
}

interface Files {
  readFile(path: URL): Promise<Uint8Array<ArrayBuffer>>;
}

async function readFile(files: Files, url: URL): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await files.readFile(url);
  } catch (error) {
    throw new QkvError("load", `load: cannot read ${url.href}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

async function compileFetched(url: URL, file: string): Promise<WebAssembly.Module> {
  const response = await request(url, file);
  const type = response.headers.get("content-type") ?? "";
  if (type.startsWith("application/wasm") && WebAssembly.compileStreaming !== undefined) {
    try {
      return await WebAssembly.compileStreaming(response);
    } catch {
      // The answer was consumed. A second one tells what was wrong with it.
      return compileBytes(await body(await request(url, file), url), url.href, file);
    }
  }
  return compileBytes(await body(response, url), url.href, file);
}

async function request(url: URL, file: string): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url);
  } catch (error) {
    throw new QkvError("load", `load: cannot fetch ${url.href}: ${messageOf(error)}`, {
      cause: error,
    });
  }
  if (!response.ok) {
    throw new QkvError(
      "load",
      `load: got status ${response.status} from ${url.href}; check that the server serves ${file}`,
    );
  }
  return response;
}

async function body(response: Response, url: URL): Promise<ArrayBuffer> {
  try {
    return await response.arrayBuffer();
  } catch (error) {
    throw new QkvError("load", `load: cannot fetch ${url.href}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

async function compileBytes(
  bytes: BufferSource,
  from: string,
  file: string,
): Promise<WebAssembly.Module> {
  const start = ArrayBuffer.isView(bytes)
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 4))
    : new Uint8Array(bytes, 0, Math.min(bytes.byteLength, 4));
  if (!MAGIC.every((byte, index) => start[index] === byte)) {
    throw new QkvError("load", wrongBytes(start, from, file));
  }
  try {
    return await WebAssembly.compile(bytes);
  } catch (error) {
    throw new QkvError("load", `load: cannot compile ${from}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function wrongBytes(start: Uint8Array, from: string, file: string): string {
  const hex = Array.from(start, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
  const found =
    start.length === 0
      ? "no bytes"
      : start[0] === 0x3c // "<"
        ? `HTML (${hex} ...)`
        : `bytes that are not WebAssembly (${hex} ...)`;
  return `load: got ${found} from ${from}; check that the server serves ${file}`;
}
