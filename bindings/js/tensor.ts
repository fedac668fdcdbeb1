/// <reference lib="esnext.disposable" preserve="true" />
import { disposeSymbol } from "./dispose-symbol.js";
import { QkvError } from "./errors.js";
import type { Resident } from "./residency.js";

/** Numbers nested as deep as a tensor has axes; a bare number for a tensor without axes. */
export type NestedNumbers = number | NestedNumbers[];

/**
 * Where the elements of a tensor are: JavaScript's memory, WebAssembly's, or nowhere any more.
 * @internal
 */
export type Storage = Float32Array | Resident | null;

/**
 * Makes a tensor. Tensors have no public constructor: `qkv.tensor()` and results make them.
 * @internal
 */
export let createTensor: (shape: readonly number[], storage: Storage) => Tensor;

/**
 * Looks into a tensor; null after its disposal.
 * @internal
 */
export let storageOf: (tensor: Tensor) => Storage;

/**
 * A float32 array with a shape, row-major.
 *
 * The result of a call keeps its elements in JavaScript's memory. A tensor made by `qkv.tensor()` or
 * owned by a layer lives in WebAssembly's memory, so that it is copied in once and used many times.
 * Both are used in the same way.
 */
export class Tensor {
  /** Sizes of the axes, the innermost last. */
  readonly shape: readonly number[];
  #storage: Storage;
  // The last copy handed out by `data`, as long as somebody still holds it.
  #copy: WeakRef<Float32Array> | undefined;

  private constructor(shape: readonly number[], storage: Storage) {
    this.shape = Object.freeze(shape);
    this.#storage = storage;
  }

  static {
    createTensor = (shape, storage) => new Tensor(shape, storage);
    storageOf = (tensor) => tensor.#storage;
  }

  /**
   * The elements, row-major. The array stays valid whatever happens later: growth of memory, disposal
   * of the tensor, other calls. For a tensor that lives in WebAssembly's memory it is a copy, and
   * writing to it does not change the tensor.
   *
   * @throws QkvError `"disposed"` after `dispose()`
   */
  get data(): Float32Array {
    const storage = this.#storage;
    if (storage instanceof Float32Array) return storage;
    if (storage === null) throw this.#disposed();
    let copy = this.#copy?.deref();
    if (copy === undefined) {
      copy = storage.home.read(storage);
      this.#copy = new WeakRef(copy);
    }
    return copy;
  }

  /**
   * The elements as nested arrays, one level for each axis. Name the type for the rank you know:
   * `tensor.toArray<number[][]>()`.
   *
   * @throws QkvError `"disposed"` after `dispose()`
   */
  toArray<Nested extends NestedNumbers = NestedNumbers>(): Nested {
    return nest(this.data, this.shape, 0, 0, this.data.length) as Nested;
  }

  /** Gives the memory back at once. Using the tensor afterwards throws; disposing again is harmless. */
  dispose(): void {
    const storage = this.#storage;
    this.#storage = null;
    this.#copy = undefined;
    if (storage !== null && !(storage instanceof Float32Array)) storage.home.release(storage);
  }

  /** The same as `dispose()`, for `using`. */
  [disposeSymbol](): void {
    this.dispose();
  }

  #disposed(): QkvError {
    return new QkvError("disposed", `a tensor of shape [${this.shape.join(", ")}] was disposed`);
  }
}

function nest(
  data: Float32Array,
  shape: readonly number[],
  axis: number,
  start: number,
  length: number,
): NestedNumbers {
  if (axis === shape.length) return data[start];
  if (axis === shape.length - 1) return Array.from(data.subarray(start, start + length));
  const size = shape[axis];
  const step = size === 0 ? 0 : length / size;
  return Array.from({ length: size }, (_, index) =>
    nest(data, shape, axis + 1, start + index * step, step),
  );
}
