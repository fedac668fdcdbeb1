import type { Core } from "./core.js";
import { compile } from "./compile.js";
import { accepts } from "./engine.js";
import { messageOf, QkvError } from "./errors.js";
import createCore from "./glue.js";
import { locate, type WasmSource } from "./locate.js";
import { createQkv, type Qkv, type Variant } from "./qkv.js";
import { Runtime } from "./runtime.js";
import { seen } from "./seen.js";

/** Written by the build: the version of the package. */
declare const QKV_VERSION: string;

/** Options of {@link load}. */
export interface LoadOptions {
  /** Which binary; `"auto"` (default) picks the faster one if this engine accepts it. */
  readonly variant?: "auto" | Variant | undefined;
  /** `"auto"` (default) or a number. This version always runs one thread. */
  readonly threads?: "auto" | number | undefined;
  /**
   * Where the binary is, for surroundings in which qkv cannot find it by itself: a URL (a string is
   * relative to the page, or a path in Node), the bytes, or a compiled module.
   */
  readonly wasm?: URL | string | ArrayBuffer | WebAssembly.Module | undefined;
}

const loadedByText = new Map<string, Promise<Qkv>>();
const loadedByObject = new WeakMap<object, Promise<Qkv>>();

/**
 * Fetches, compiles and starts the WebAssembly core. Calls with the same options give the same
 * object; one that failed may be tried again.
 *
 * @throws QkvError `"load"`: the message says what was found where the binary should be
 */
export async function load(options: LoadOptions = {}): Promise<Qkv> {
  const { variant, source } = plan(options);
  const byObject = typeof source === "object" && !(source instanceof URL);
  const key = `${variant} ${byObject ? "" : source.toString()}`;
  const known = byObject ? loadedByObject.get(source) : loadedByText.get(key);
  if (known !== undefined) return known;

  const loading = start(variant, source);
  if (byObject) loadedByObject.set(source, loading);
  else loadedByText.set(key, loading);
  try {
    return await loading;
  } catch (error) {
    if (byObject) loadedByObject.delete(source);
    else loadedByText.delete(key);
    throw error;
  }
}

function plan(options: LoadOptions): { variant: Variant; source: WasmSource } {
  if (options === null || typeof options !== "object") {
    throw new QkvError("load", `load: expected an object of options, saw ${seen(options)}`);
  }
  const { variant = "auto", threads = "auto", wasm, ...others } = options;
  const unknown = Object.keys(others);
  if (unknown.length > 0) {
    throw new QkvError("load", `load has no option "${unknown.join('", "')}"`);
  }
  if (threads !== "auto" && !(Number.isInteger(threads) && threads > 0)) {
    throw new QkvError(
      "load",
      `threads: expected "auto" or a whole number above 0, saw ${seen(threads)}`,
    );
  }
  if (variant !== "auto" && variant !== "simd128" && variant !== "relaxed") {
    throw new QkvError(
      "load",
      `variant: expected "auto", "simd128" or "relaxed", saw ${seen(variant)}`,
    );
  }
  if (typeof WebAssembly !== "object") {
    throw new QkvError("load", "load: there is no WebAssembly here");
  }
  const chosen = variant !== "auto" ? variant : accepts("relaxed") ? "relaxed" : "simd128";
  if (!accepts(chosen)) throw new QkvError("load", notAccepted(chosen));
  return { variant: chosen, source: wasm === undefined ? ownBinary(chosen) : locate(wasm) };
}

// Bundlers look for exactly this pattern, with a literal, to find the file.
function ownBinary(variant: Variant): URL {
  return variant === "relaxed"
    ? new URL("./qkv.relaxed.wasm", import.meta.url)
    : new URL("./qkv.simd128.wasm", import.meta.url);
}

function notAccepted(variant: Variant): string {
  return variant === "relaxed"
    ? 'variant: this engine has no relaxed SIMD; take "auto" or "simd128"'
    : "load: this engine has no WebAssembly SIMD";
}

async function start(variant: Variant, source: WasmSource): Promise<Qkv> {
  const module = await compile(source, `qkv.${variant}.wasm`);
  const core = await instantiate(module);
  const version = core.version();
  if (version !== QKV_VERSION) {
    throw new QkvError(
      "load",
      `load: the JavaScript of qkv is version ${QKV_VERSION}, the WebAssembly module ${version}`,
    );
  }
  return createQkv(new Runtime(core), {
    variant: core.backend().includes("relaxed") ? "relaxed" : "simd128",
    threads: 1,
    crossOriginIsolated: globalThis.crossOriginIsolated === true,
  });
}

// The glue never settles when the instance it waits for does not come: a failure goes around it.
async function instantiate(module: WebAssembly.Module): Promise<Core> {
  try {
    return await new Promise<Core>((resolve, reject) => {
      const instantiateWasm = (
        imports: WebAssembly.Imports,
        receive: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
      ): object => {
        WebAssembly.instantiate(module, imports)
          .then((instance) => receive(instance, module))
          .catch(reject);
        return {};
      };
      createCore({ instantiateWasm }).then(resolve, reject);
    });
  } catch (error) {
    throw new QkvError("load", `load: the WebAssembly module does not start: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
