import { compile } from "./compile.js";
import { accepts } from "./engine.js";
import { QkvError } from "./errors.js";
import { hasThreads, instantiate } from "./instantiate.js";
import { locate, type WasmSource } from "./locate.js";
import { createMemory, sharedMemory } from "./memory.js";
import { createQkv, type Qkv, type Variant } from "./qkv.js";
import { Runtime } from "./runtime.js";
import { seen } from "./seen.js";
import { MOST_THREADS, startThreads, threadsByItself } from "./threads.js";

/** Written by the build: the version of the package. */
declare const QKV_VERSION: string;

/** Options of {@link load}. */
export interface LoadOptions {
  /** Which binary; `"auto"` (default) picks the faster one if this engine accepts it. */
  readonly variant?: "auto" | Variant | undefined;
  /**
   * How many threads compute. `"auto"` (default) is one unless memory can be shared between threads,
   * as in Node, or in a page that is cross-origin isolated; there it is as many as the machine has
   * cores, 16 at most. A number asks for so many. `backend.threads` says how many there are.
   */
  readonly threads?: "auto" | number | undefined;
  /**
   * Where the binary is, for surroundings in which qkv cannot find it by itself: a URL (a string is
   * relative to the page, or a path in Node), the bytes, or a compiled module.
   */
  readonly wasm?: URL | string | ArrayBuffer | WebAssembly.Module | undefined;
}

// By what the options come to; for bytes and modules, beside each of them.
const loaded = new Map<string, Promise<Qkv>>();
const loadedFrom = new WeakMap<object, Map<string, Promise<Qkv>>>();

/** What options come to. */
interface Plan {
  readonly variant: Variant;
  /** As many as were asked for; there may be fewer. */
  readonly threads: number;
  /** Undefined for the binary of the package. */
  readonly source: WasmSource | undefined;
}

/**
 * Fetches, compiles and starts the WebAssembly core. Calls with the same options give the same
 * object; one that failed may be tried again.
 *
 * @throws QkvError `"load"`: the message says what was found where the binary should be
 */
export async function load(options: LoadOptions = {}): Promise<Qkv> {
  const plan = planOf(options);
  const { source } = plan;
  const byObject = typeof source === "object" && !(source instanceof URL);
  const cache = byObject ? cacheOf(source) : loaded;
  const key = [plan.variant, plan.threads, byObject ? "" : source].join(" ");
  const known = cache.get(key);
  if (known !== undefined) return known;

  const loading = start(plan);
  cache.set(key, loading);
  try {
    return await loading;
  } catch (error) {
    cache.delete(key);
    throw error;
  }
}

function cacheOf(source: object): Map<string, Promise<Qkv>> {
  const cache = loadedFrom.get(source) ?? new Map<string, Promise<Qkv>>();
  loadedFrom.set(source, cache);
  return cache;
}

function planOf(options: LoadOptions): Plan {
  if (options === null || typeof options !== "object") {
    throw new QkvError("load", `load: expected an object of options, saw ${seen(options)}`);
  }
  const { variant = "auto", threads = "auto", wasm, ...others } = options;
  const unknown = Object.keys(others);
  if (unknown.length > 0) {
    throw new QkvError("load", `load has no option "${unknown.join('", "')}"`);
  }
  if (
    threads !== "auto" &&
    !(Number.isInteger(threads) && threads >= 1 && threads <= MOST_THREADS)
  ) {
    throw new QkvError(
      "load",
      `threads: expected "auto" or a whole number from 1 to ${MOST_THREADS}, saw ${seen(threads)}`,
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
  return {
    variant: chosen,
    threads: threads === "auto" ? threadsByItself() : threads,
    source: wasm === undefined ? undefined : locate(wasm),
  };
}

// Bundlers look for exactly this pattern, with a literal, to find the file.
function ownBinary(variant: Variant, shared: boolean): URL {
  if (variant === "relaxed") {
    return shared
      ? new URL("./qkv.relaxed.threads.wasm", import.meta.url)
      : new URL("./qkv.relaxed.wasm", import.meta.url);
  }
  return shared
    ? new URL("./qkv.simd128.threads.wasm", import.meta.url)
    : new URL("./qkv.simd128.wasm", import.meta.url);
}

function notAccepted(variant: Variant): string {
  return variant === "relaxed"
    ? 'variant: this engine has no relaxed SIMD; take "auto" or "simd128"'
    : "load: this engine has no WebAssembly SIMD";
}

async function start({ variant, threads, source }: Plan): Promise<Qkv> {
  let memory = source === undefined && threads > 1 ? sharedMemory() : undefined;
  const file = `qkv.${variant}${memory === undefined ? "" : ".threads"}.wasm`;
  const module = await compile(source ?? ownBinary(variant, memory !== undefined), file);
  if (hasThreads(module)) memory ??= sharedMemory();
  else memory = createMemory(false);
  if (memory === undefined) {
    throw new QkvError("load", `load: this binary needs shared memory; take qkv.${variant}.wasm`);
  }

  const core = await instantiate(module, memory);
  if (core.version !== QKV_VERSION) {
    const versions = `version ${QKV_VERSION}, the WebAssembly module ${core.version}`;
    throw new QkvError("load", `load: the JavaScript of qkv is ${versions}`);
  }
  if (core.pool !== undefined) await startThreads(core, core.pool, module, threads);
  return createQkv(new Runtime(core), {
    variant: core.backend.includes("relaxed") ? "relaxed" : "simd128",
    threads: core.pool?.threads() ?? 1,
    crossOriginIsolated: globalThis.crossOriginIsolated === true,
  });
}
