export type * from "./baselines.js";
export type * from "./block.js";
export type * from "./content.js";
export { QkvError, type QkvErrorCode } from "./errors.js";
export type * from "./fewer-keys.js";
export type * from "./linear-attention.js";
export { load, type LoadOptions } from "./load.js";
export {
  mask,
  type BigBirdOptions,
  type BlocksOptions,
  type CausalOptions,
  type Indices,
  type Mask,
  type SparseTransformerOptions,
  type WindowOptions,
} from "./mask.js";
export type * from "./mechanisms.js";
export type * from "./mixers.js";
export type * from "./picking.js";
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
