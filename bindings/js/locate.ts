import { nodeProcess } from "./engine.js";
import { QkvError } from "./errors.js";
import { seen } from "./seen.js";

export type WasmSource = URL | ArrayBuffer | WebAssembly.Module;

/** What the `wasm` option of `load` means. */
export function locate(wasm: unknown): WasmSource {
  if (wasm instanceof URL || wasm instanceof ArrayBuffer || wasm instanceof WebAssembly.Module) {
    return wasm;
  }
  if (typeof wasm !== "string") {
    throw new QkvError(
      "load",
      `wasm: expected a URL, a string, an ArrayBuffer or a WebAssembly.Module, saw ${seen(wasm)}`,
    );
  }
  try {
    return resolve(wasm);
  } catch (error) {
    throw new QkvError("load", `wasm: ${seen(wasm)} is not a URL`, { cause: error });
  }
}

// A scheme has two letters or more, so that a Windows path is none.
function resolve(text: string): URL {
  if (/^[a-z][a-z0-9+.-]+:/i.test(text)) return new URL(text);
  const page = (globalThis.document?.baseURI ?? globalThis.location?.href) as string | undefined;
  return new URL(text, page ?? `file://${nodeProcess()?.cwd?.() ?? ""}/`);
}
