// From a compiled module to a running core, through the glue that Embind has around it.
import type { Core, Heap } from "./core.js";
import { messageOf, QkvError } from "./errors.js";
import start, { type Doors } from "./glue.js";
import { readText } from "./words.js";

/** Whether a module is one with threads, which needs shared memory. */
export function hasThreads(module: WebAssembly.Module): boolean {
  return WebAssembly.Module.exports(module).some(({ name }) => name === "serve");
}

/** Starts a module on memory of the kind that it needs. */
export async function instantiate(
  module: WebAssembly.Module,
  memory: WebAssembly.Memory,
): Promise<Core> {
  try {
    return open(await startGlue(module, memory), memory);
  } catch (error) {
    throw new QkvError("load", `load: the WebAssembly module does not start: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

// The glue never settles when the instance it waits for does not come: a failure goes around it.
function startGlue(module: WebAssembly.Module, memory: WebAssembly.Memory): Promise<Doors> {
  return new Promise((resolve, reject) => {
    const instantiateWasm = (
      imports: WebAssembly.Imports,
      receive: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
    ): object => {
      WebAssembly.instantiate(module, imports)
        .then((instance) => receive(instance, module))
        .catch(reject);
      return {};
    };
    start({ instantiateWasm, wasmMemory: memory }).then(resolve, reject);
  });
}

function open(doors: Doors, memory: WebAssembly.Memory): Core {
  // The glue makes new views when memory has grown, which only this thread lets it do.
  const heap: Heap = {
    memory,
    get bytes() {
      return doors.HEAPU8;
    },
    get floats() {
      return doors.HEAPF32;
    },
    get doubles() {
      return doors.HEAPF64;
    },
  };
  let at = doors.describe() / 8;
  const words = heap.doubles;
  const text = (): string => {
    const length = words[at++];
    at += length;
    return readText(words, at - length, length);
  };
  const version = text();
  const backend = text();
  const operations = new Map<string, number>();
  for (let left = words[at++]; left > 0; --left) operations.set(text(), operations.size);
  const { call, allocate, release, used, enlist, sleep, threads } = doors;
  const core = { version, backend, operations, heap, call, allocate, release, used };
  return enlist && sleep && threads ? { ...core, pool: { enlist, sleep, threads } } : core;
}
