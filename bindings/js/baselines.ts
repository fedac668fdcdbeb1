import type { Runtime } from "./runtime.js";
import type { Tensor } from "./tensor.js";
import type { TensorLike } from "./tensor-like.js";

/** Options of `qkv.conv1d`. */
export interface Conv1dOptions {
  /** Places of the kernel before the token's own, 0 to k - 1; default floor((k - 1) / 2). */
  readonly left?: number | undefined;
}

/** Options of `qkv.rnn`. */
export interface RnnOptions {
  /** The state before the first token, [H] or [..., H]; default zeros. */
  readonly start?: TensorLike | undefined;
}

/** Options of `qkv.offsetHeads`. */
export interface OffsetHeadsOptions {
  /** Tokens. */
  readonly length: number;
  /** Heads, as many as the kernel of the convolution has places. */
  readonly size: number;
  /** Heads that look back, 0 to size - 1; default floor((size - 1) / 2). */
  readonly left?: number | undefined;
}

/** What attention is compared with. */
export interface Baselines {
  /**
   * Convolution of stride 1 with zeros outside, as deep learning has it:
   * output[i] = bias + Σ weight[:, :, t] x[i + t - left]. `left: k - 1` is causal.
   *
   * @param x [..., L, in]
   * @param weight [out, in, k]
   * @param bias [out]
   * @returns `output` [..., L, out]
   * @throws QkvError `"shape"`, `"argument"`, `"memory"` or `"disposed"`
   */
  conv1d(
    x: TensorLike,
    weight: TensorLike,
    bias?: TensorLike,
    options?: Conv1dOptions,
  ): { readonly output: Tensor };

  /**
   * Recurrence: h[t] = tanh(inputWeight x[t] + hiddenWeight h[t - 1] + bias). Elman 1990.
   *
   * @param x [..., L, in]
   * @param inputWeight [H, in]
   * @param hiddenWeight [H, H]
   * @param bias [H]
   * @returns `output` [..., L, H], the states
   * @throws QkvError `"shape"`, `"argument"`, `"memory"` or `"disposed"`
   */
  rnn(
    x: TensorLike,
    inputWeight: TensorLike,
    hiddenWeight: TensorLike,
    bias?: TensorLike,
    options?: RnnOptions,
  ): { readonly output: Tensor };

  /**
   * The bias that fixes head h of attention on key i + h - left: with it, and values projected from
   * all heads together, attention is a convolution. Cordonnier et al. 2020.
   *
   * @returns `output` [size, length, length], 0 and -Infinity, for the `bias` of attention
   * @throws QkvError `"shape"`, `"argument"` or `"memory"`
   */
  offsetHeads(options: OffsetHeadsOptions): { readonly output: Tensor };
}

/** @internal */
export function bindBaselines(runtime: Runtime): Baselines {
  const run = (operation: string, args: readonly unknown[]) =>
    runtime.run(operation, args) as unknown as { output: Tensor };
  return {
    conv1d: (x, weight, bias, options) => run("conv1d", [x, weight, bias, options]),
    rnn: (x, inputWeight, hiddenWeight, bias, options) =>
      run("rnn", [x, inputWeight, hiddenWeight, bias, options]),
    offsetHeads: (options) => run("offsetHeads", [options]),
  };
}
