import type { Runtime } from "./runtime.js";
import type { Tensor } from "./tensor.js";
import type { TensorLike } from "./tensor-like.js";

/**
 * Options of the feature map `favor`. Weights are drawn anew in each call: token by token, give a
 * projection.
 */
export interface FavorOptions<Like = TensorLike> {
  /** m, default: as many as `projection` has rows, or D ln D. */
  readonly features?: number | undefined;
  /** Default 0. The same seed draws the same weights on every platform. */
  readonly seed?: number | undefined;
  /** [m, D], used instead of drawn weights. */
  readonly projection?: Like | undefined;
}

/** Options of the feature map `fourier`. */
export interface FourierOptions<Like = TensorLike> {
  /** m, default: as many as `projection` has rows, or D. There are twice as many features. */
  readonly features?: number | undefined;
  /** Above 0, default 1. */
  readonly sigma?: number | undefined;
  /** Default 0. The same seed draws the same weights on every platform. */
  readonly seed?: number | undefined;
  /** [m, D], used instead of drawn weights. */
  readonly projection?: Like | undefined;
}

/**
 * What a query and a key become before they meet.
 *
 * - `"elu"`: elu(x) + 1, Katharopoulos et al. 2020
 * - `"relu"`: max(x, 0)
 * - `"softmax"`: over the features of each query and over the sequence of each feature of the keys,
 *   efficient attention, Shen et al. 2018; without a causal form
 * - `"identity"`: x itself, and no division: Q (KᵀV)
 * - `favor`: positive random features of exp(q·k / sqrt(D)), Choromanski et al. 2021
 * - `fourier`: random sines and cosines of normalised x, which approximate
 *   exp(-sigma² |q - k|² / 2), Peng et al. 2021
 */
export type FeatureMap<Like = TensorLike> =
  | "elu"
  | "relu"
  | "softmax"
  | "identity"
  | { readonly favor: FavorOptions<Like> }
  | { readonly fourier: FourierOptions<Like> };

/** Options of `qkv.linearAttention`. */
export interface LinearAttentionOptions<Like = TensorLike> {
  /** Default `"elu"`. */
  readonly featureMap?: FeatureMap<Like> | undefined;
  /** No query sees a later key. Default false. */
  readonly causal?: boolean | undefined;
  /** Valid keys of each batch entry, or one number for all; counted after the feature map. */
  readonly keyLengths?: Like | undefined;
  /** What a causal call before this one left. */
  readonly state?: Like | undefined;
}

/** Results of `qkv.linearAttention`. */
export interface LinearAttentionResult {
  /** [..., Lq, value width]. */
  readonly output: Tensor;
  /** Of a causal call: the sums over all keys so far, for the `state` of the next call. */
  readonly state?: Tensor;
}

/** Attention in which keys meet values first, so that time grows with the length alone. */
export interface LinearAttention {
  /**
   * phi(q)·Σ phi(k)vᵀ / (phi(q)·Σ phi(k)). Not scaled by 1 / sqrt(D), except in `favor`. A
   * denominator of 0 gives zeros.
   *
   * @param query [..., Lq, D]
   * @param key [..., Lk, D]; Lk is Lq in causal calls
   * @param value [..., Lk, value width]
   * @returns the output, and from causal calls the state
   * @throws QkvError `"shape"`, `"argument"` or `"memory"`
   */
  linearAttention(
    query: TensorLike,
    key: TensorLike,
    value: TensorLike,
    options?: LinearAttentionOptions,
  ): LinearAttentionResult;
}

/** @internal */
export function bindLinearAttention(runtime: Runtime): LinearAttention {
  return {
    linearAttention: (query, key, value, options) =>
      runtime.run("linearAttention", [
        query,
        key,
        value,
        options,
      ]) as unknown as LinearAttentionResult,
  };
}
