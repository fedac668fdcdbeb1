import type { Mask } from "./mask.js";
import type { Runtime } from "./runtime.js";
import type { Tensor } from "./tensor.js";
import type { TensorLike } from "./tensor-like.js";

/** Options of `qkv.hardAttention`. */
export interface HardAttentionOptions {
  /** Draws the key from the softmax instead of taking the largest score. */
  readonly sample?: { readonly seed: number } | undefined;
  /** Which query may see which key; default all. */
  readonly mask?: Mask | undefined;
  /** Replaces 1 / sqrt(D). */
  readonly scale?: number | undefined;
}

/** Options of `qkv.locationAttention`: one way to look at a place. */
export type LocationOptions =
  | {
      /**
       * Soft, one axis: means of x [..., L, D] weighed by Gaussians around `centers`, [m] or
       * [..., m] (positions from 0), of standard deviations `widths`, likewise, above 0. As DRAW,
       * Gregor et al. 2015.
       */
      readonly gaussian: { readonly centers: TensorLike; readonly widths: TensorLike };
    }
  | {
      /**
       * Soft, two axes: a Spatial Transformer, Jaderberg et al. 2015. `theta` [2, 3] or [..., 2, 3]
       * carries places (column, row, 1) of the result to places (column, row) of x [..., H, W, C],
       * both from -1 to 1, centres of the outer cells; read bilinearly, 0 outside.
       */
      readonly affine: {
        readonly theta: TensorLike;
        readonly height: number;
        readonly width: number;
      };
    }
  | {
      /**
       * Hard: a crop of x [..., H, W, C] whose middle cell (floor(height / 2), floor(width / 2))
       * lies on `center` [2] or [..., 2], a row and a column; 0 outside. Mnih et al. 2014.
       */
      readonly glimpse: {
        readonly center: TensorLike;
        readonly height: number;
        readonly width: number;
      };
    };

/** Attention that picks: one item, or a place. */
export interface Picking {
  /**
   * Gives each query the value of one key: that of the largest score, the first of equals, or one
   * drawn from the softmax. Xu et al. 2015. A query that may see no key gives zeros.
   *
   * @param query [..., H, Lq, D]
   * @param key [..., Hkv, Lk, D]
   * @param value [..., Hkv, Lk, Dv]
   * @returns `output` [..., H, Lq, Dv]
   * @throws QkvError `"shape"`, `"argument"`, `"memory"` or `"disposed"`
   */
  hardAttention(
    query: TensorLike,
    key: TensorLike,
    value: TensorLike,
    options?: HardAttentionOptions,
  ): { readonly output: Tensor };

  /**
   * From n tokens to m: softmax(query xᵀ / sqrt(D)) x, with a query that is learned or given.
   *
   * @param query [m, D] or [..., m, D]
   * @param x [..., n, D]
   * @returns `output` [..., m, D]
   * @throws QkvError `"shape"`, `"argument"`, `"memory"` or `"disposed"`
   */
  attentionPooling(query: TensorLike, x: TensorLike): { readonly output: Tensor };

  /**
   * Looks at a place instead of at items: a Gaussian window, an affine transform or a crop.
   *
   * @param x [..., L, D] for `gaussian`, [..., H, W, C] for the others
   * @returns `output` [..., m, D], or [..., height, width, C]
   * @throws QkvError `"shape"`, `"argument"`, `"memory"` or `"disposed"`
   */
  locationAttention(x: TensorLike, options: LocationOptions): { readonly output: Tensor };
}

/** @internal */
export function bindPicking(runtime: Runtime): Picking {
  const run = (operation: string, args: readonly unknown[]) =>
    runtime.run(operation, args) as unknown as { output: Tensor };
  return {
    hardAttention: (query, key, value, options) =>
      run("hardAttention", [query, key, value, options]),
    attentionPooling: (query, x) => run("attentionPooling", [query, x]),
    locationAttention: (x, options) => run("locationAttention", [x, options]),
  };
}
