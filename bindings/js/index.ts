export { QkvError, type QkvErrorCode } from "./errors.js";
export { load, type LoadOptions } from "./load.js";
export {
  mask,
  type BlocksOptions,
  type CausalOptions,
  type Indices,
  type Mask,
  type WindowOptions,
} from "./mask.js";
export { Tensor, type NestedNumbers } from "./tensor.js";
export type {
  BooleanTensorLike,
  NestedArray,
  NestedBooleans,
  NumberArray,
  TensorData,
  TensorLike,
} from "./tensor-like.js";
export type { MultiHeadAttention, PositionalEncoding, StateDict } from "./layers.js";
export type { Position } from "./position.js";
export type { Backend, Qkv, Variant } from "./qkv.js";
export type * from "./options.js";
