import { QkvError } from "./errors.js";

/**
 * The compiled module as Emscripten's glue presents it. Memory may grow during any call, which
 * detaches every view of it: read the `HEAP` properties again after each one.
 */
export interface Core {
  /** Index of an operation for `call`, or -1. */
  operation(name: string): number;
  /** Runs an operation on an argument stream; the result stream is valid until the next call. */
  call(operation: number, argumentStream: number): number;
  /** Memory aligned to at least 8 bytes; 0 when there is none left. */
  allocate(bytes: number): number;
  release(pointer: number): void;
  version(): string;
  backend(): string;
  /** Bytes in use. */
  memory(): number;
  readonly HEAPU8: Uint8Array;
  readonly HEAPF32: Float32Array;
  readonly HEAPF64: Float64Array;
  readonly wasmMemory: WebAssembly.Memory;
}

// Embind would silently wrap a larger number around.
const ADDRESSABLE = 2 ** 32 - 2 ** 16;

/** Memory or 0. Pointers of Emscripten may come back as negative numbers above 2 GiB. */
export function tryAllocate(core: Core, bytes: number): number {
  return bytes < ADDRESSABLE ? core.allocate(bytes) >>> 0 : 0;
}

/** The error of an allocation that failed. */
export function outOfMemory(core: Core, bytes: number): QkvError {
  return new QkvError(
    "memory",
    `out of memory: ${bytes} bytes were refused, ${core.memory()} are in use`,
  );
}
