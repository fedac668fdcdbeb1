import type { Tensor } from "./tensor.js";

/** A flat list of numbers. Everything but a Float32Array is rounded to float32 in the core. */
export type NumberArray =
  | Float32Array
  | Float64Array
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | readonly number[];

/** Numbers nested in arrays, `number[][]` for a matrix. Rows must be equally long. */
export type NestedArray = NumberArray | readonly NestedArray[];

/**
 * Elements with a shape, row-major unless there are strides. A Float32Array is copied once, into
 * WebAssembly's memory, and never kept; nothing is read past its end.
 */
export interface TensorData {
  readonly data: NumberArray;
  /** Sizes of the axes, the innermost last. */
  readonly shape: readonly number[];
  /** Distance of neighbours along each axis, in elements. */
  readonly strides?: readonly number[] | undefined;
}

/**
 * What every function takes for a tensor: nested arrays, a {@link Tensor}, or data with a shape.
 * Shapes are `[..., L, D]`: L tokens of D features after any leading axes, usually
 * `[batch, heads]`. Leading axes broadcast as in NumPy.
 */
export type TensorLike = NestedArray | TensorData | Tensor;

/** Booleans nested in arrays, `boolean[][]` for a matrix. */
export type NestedBooleans = readonly boolean[] | readonly NestedBooleans[];

/** A matrix of truth values: booleans, or numbers of which 0 is false and 1 is true. */
export type BooleanTensorLike =
  | NestedBooleans
  | TensorLike
  | {
      readonly data: readonly boolean[];
      readonly shape: readonly number[];
      readonly strides?: readonly number[] | undefined;
    };
