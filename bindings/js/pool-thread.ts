// A thread that computes beside its caller's. It runs in a worker, starts the module once more on the
// memory that it is given, and never comes back from there.

/** What a thread is told, once. */
export interface PoolOrder {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  /** Memory for the thread's own stack, aligned to 16 bytes. */
  readonly stack: number;
  readonly stackBytes: number;
}

/** What the module exports for its threads. */
interface ThreadDoors {
  _emscripten_wasm_worker_initialize(stack: number, bytes: number): void;
  serve(): never;
}

interface Port {
  postMessage(message: "ready"): void;
  onmessage: ((event: { data: PoolOrder }) => void) | null;
}

interface Surroundings {
  readonly process: { getBuiltinModule(name: string): { parentPort: Port } };
}

// Only Node's workers have no global `postMessage`. This script shares no code with the others, so
// that a thread has one small file to fetch.
const port: Port =
  typeof globalThis.postMessage === "function"
    ? (globalThis as unknown as Port)
    : (globalThis as unknown as Surroundings).process.getBuiltinModule("node:worker_threads")
        .parentPort;

port.onmessage = ({ data: { module, memory, stack, stackBytes } }) => {
  const { exports } = new WebAssembly.Instance(module, importsOf(module, memory));
  const doors = exports as unknown as ThreadDoors;
  doors._emscripten_wasm_worker_initialize(stack, stackBytes);
  port.postMessage("ready");
  doors.serve();
};

// Loops only compute: they ask nothing of their surroundings, nor for more memory.
function importsOf(module: WebAssembly.Module, memory: WebAssembly.Memory): WebAssembly.Imports {
  const imports: Record<string, Record<string, WebAssembly.ImportValue>> = {};
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    const refuse = (): never => {
      throw new Error(`a thread called ${name}`);
    };
    (imports[from] ??= {})[name] = kind === "memory" ? memory : refuse;
  }
  return imports;
}
