import { QkvError } from "./errors.js";

/**
 * A module's memory, and views of it. It may grow during any call, which leaves older views behind:
 * read them again after each one.
 */
export interface Heap {
  readonly memory: WebAssembly.Memory;
  readonly bytes: Uint8Array;
  readonly floats: Float32Array;
  readonly doubles: Float64Array;
}

/** A started module. Addresses may come back as negative numbers above 2 GiB. */
export interface Core {
  readonly version: string;
  /** Name of the kernels in use. */
  readonly backend: string;
  /** Number of each operation, by its name. */
  readonly operations: ReadonlyMap<string, number>;
  readonly heap: Heap;
  /** Runs an operation on an argument stream; the result stream is valid until the next call. */
  call(operation: number, argumentStream: number): number;
  /** Memory aligned to at least 8 bytes; 0 when there is none left. */
  allocate(bytes: number): number;
  release(pointer: number): void;
  /** Bytes in use. */
  used(): number;
  /** Of a module whose memory is shared. */
  readonly pool?: Pool;
}

/** What a module with threads has for whoever starts them. */
export interface Pool {
  /** A thread has been started and takes part from now on. */
  enlist(): void;
  /** Whether the thread of the calls may sleep while others compute: 0 or 1. */
  sleep(allowed: number): void;
  /** How many there are, the thread of the calls among them. */
  threads(): number;
}

// A larger number would silently wrap around.
const ADDRESSABLE = 2 ** 32 - 2 ** 16;

/** Memory or 0. */
export function tryAllocate(core: Core, bytes: number): number {
  return bytes < ADDRESSABLE ? core.allocate(bytes) >>> 0 : 0;
}

/** The error of an allocation that failed. */
export function outOfMemory(core: Core, bytes: number): QkvError {
  return new QkvError(
    "memory",
    `out of memory: ${bytes} bytes were refused, ${core.used()} are in use`,
  );
}
