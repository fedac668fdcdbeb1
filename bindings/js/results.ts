// Reads the result stream of the core. Memory that comes with a result belongs to us: it is copied
// out and released, or adopted by a resident tensor.
import type { Core } from "./core.js";
import { QkvError, type QkvErrorCode } from "./errors.js";
import type { Residency } from "./residency.js";
import { createTensor, type Tensor } from "./tensor.js";
import { readText } from "./words.js";

/** Results by name. */
export type Results = Record<string, Tensor | number | string>;

const CODES: readonly QkvErrorCode[] = ["load", "shape", "argument", "memory", "disposed"];
const NUMBER = 1;
const TEXT = 3;

/** Reads the results of one call after another. */
export class ResultStream {
  readonly #core: Core;
  readonly #residency: Residency;
  // Names seen before: there are few, and making a string for each result takes longer.
  readonly #names: string[] = [];

  constructor(core: Core, residency: Residency) {
    this.#core = core;
    this.#residency = residency;
  }

  /**
   * The results at `stream`, or the error as an exception. Tensors are copied out; with `resident`
   * they keep WebAssembly's memory. `out` takes the result called "output".
   */
  read(stream: number, resident: boolean, out: Float32Array | undefined): Results {
    const words = this.#core.heap.doubles;
    let at = stream / 8;
    const status = words[at++];
    if (status !== 0) {
      const message = readText(words, at + 1, words[at]);
      throw new QkvError(CODES[status] ?? "argument", message);
    }
    const results: Results = {};
    let failure: { reason: unknown } | undefined;
    for (let left = words[at++]; left > 0; --left) {
      const length = words[at++];
      const name = this.#name(words, at, length);
      at += length;
      const kind = words[at++];
      if (kind === NUMBER) {
        results[name] = words[at++];
        continue;
      }
      if (kind === TEXT) {
        const size = words[at++];
        results[name] = readText(words, at, size);
        at += size;
        continue;
      }
      const pointer = words[at++];
      const rank = words[at++];
      const shape: number[] = [];
      let elements = 1;
      for (let axis = 0; axis < rank; ++axis) {
        const size = words[at++];
        shape.push(size);
        elements *= size;
      }
      if (resident) {
        const storage = this.#residency.adopt(pointer, elements);
        const tensor = createTensor(shape, storage);
        this.#residency.watch(tensor, storage);
        results[name] = tensor;
        continue;
      }
      // A copy may fail where JavaScript has no memory left. The other results are released as well.
      try {
        const target = name === "output" ? out : undefined;
        results[name] = createTensor(shape, this.#copy(pointer, elements, target));
      } catch (reason) {
        failure ??= { reason };
      }
      this.#core.release(pointer);
    }
    if (failure !== undefined) throw failure.reason;
    return results;
  }

  #copy(pointer: number, elements: number, out: Float32Array | undefined): Float32Array {
    const start = pointer / 4;
    if (out === undefined) return this.#core.heap.floats.slice(start, start + elements);
    out.set(this.#core.heap.floats.subarray(start, start + elements));
    return out;
  }

  #name(words: Float64Array, start: number, length: number): string {
    for (const name of this.#names) {
      if (name.length !== length) continue;
      let index = 0;
      while (index < length && words[start + index] === name.charCodeAt(index)) ++index;
      if (index === length) return name;
    }
    const name = readText(words, start, length);
    this.#names.push(name);
    return name;
  }
}
