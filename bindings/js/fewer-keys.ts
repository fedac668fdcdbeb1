import type { Runtime } from "./runtime.js";
import type { Tensor } from "./tensor.js";
import type { TensorLike } from "./tensor-like.js";

/** Options of `qkv.linformer`. */
export interface LinformerOptions<Like = TensorLike> {
  /** [K, Lk], or with leading axes that broadcast to those of the output. */
  readonly keyProjection: Like;
  /** As `keyProjection`, with the same K. Default: the same projection. */
  readonly valueProjection?: Like | undefined;
}

/** Options of `qkv.compressedAttention`. */
export interface CompressedOptions<Like = TensorLike> {
  /** Tokens from one window to the next, 1 or more. */
  readonly stride: number;
  /** Tokens of a window, 1 or more. */
  readonly kernelSize: number;
  /** [D, D, kernelSize], out before in, or with leading axes that broadcast to the output's. */
  readonly keyKernel: Like;
  /** [Dv, Dv, kernelSize], as `keyKernel`. */
  readonly valueKernel: Like;
  /** [D]: one more key, which every query sees. Comes with `nullValue`. Default: none. */
  readonly nullKey?: Like | undefined;
  /** [Dv] */
  readonly nullValue?: Like | undefined;
  /** Whether a window is seen only from its last token on. Default `false`. */
  readonly causal?: boolean | undefined;
}

/** Attention over fewer keys than tokens. */
export interface FewerKeys {
  /**
   * Linformer: softmax(Q (E K)ᵀ / sqrt(D)) (F V) with projections E and F along the sequence.
   * Wang et al. 2020. There is no causal form, since each projected key mixes all tokens.
   *
   * @param query [..., H, Lq, D]
   * @param key [..., Hkv, Lk, D]
   * @param value [..., Hkv, Lk, Dv]
   * @returns `output` [..., H, Lq, Dv]
   * @throws QkvError `"shape"`, `"argument"`, `"memory"` or `"disposed"`
   */
  linformer(
    query: TensorLike,
    key: TensorLike,
    value: TensorLike,
    options: LinformerOptions,
  ): { output: Tensor };

  /**
   * Memory-compressed attention: keys and values pass a convolution along the sequence, with a
   * stride, before attention. Liu et al. 2018. Zeros are put in front, so that the last window ends
   * with the last key. A causal query that sees no window and no null key gives zeros.
   *
   * @param query [..., H, Lq, D]
   * @param key [..., Hkv, Lk, D]
   * @param value [..., Hkv, Lk, Dv]
   * @returns `output` [..., H, Lq, Dv]
   * @throws QkvError `"shape"`, `"argument"`, `"memory"` or `"disposed"`
   */
  compressedAttention(
    query: TensorLike,
    key: TensorLike,
    value: TensorLike,
    options: CompressedOptions,
  ): { output: Tensor };
}

/** @internal */
export function bindFewerKeys(runtime: Runtime): FewerKeys {
  return {
    linformer: (query, key, value, options) => ({
      output: runtime.runForTensor("linformer", [query, key, value, options]),
    }),
    compressedAttention: (query, key, value, options) => ({
      output: runtime.runForTensor("compressedAttention", [query, key, value, options]),
    }),
  };
}
