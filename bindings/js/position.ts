import type {
  AlibiOptions,
  BinaryOptions,
  LearnedOptions,
  RelativeBiasOptions,
  RotaryOptions,
  RotationOptions,
  SinusoidalOptions,
} from "./options.js";
import type { Runtime } from "./runtime.js";
import type { Tensor } from "./tensor.js";
import type { TensorLike } from "./tensor-like.js";

/**
 * Where a token stands: absolute and relative positions, fixed and learned. Angles are computed in
 * double precision, so that position 1,000,000 is as accurate as position 1. Each function throws
 * `QkvError` `"shape"`, `"argument"` or `"memory"`.
 */
export interface Position {
  /**
   * P[i, 2j] = sin(i base^(-2j/dim)) and P[i, 2j + 1] = cos(the same), or all sines first.
   * Vaswani et al. 2017.
   *
   * @returns [length, dim]
   */
  sinusoidal(options: SinusoidalOptions): Tensor;

  /**
   * A table to be trained, drawn from normal(0, 0.02).
   *
   * @returns [length, dim]
   */
  learned(options: LearnedOptions): Tensor;

  /**
   * Rotates each pair of features by position * base^(-2i/dims). Su et al. 2021, RoFormer.
   *
   * @param x [..., L, D]
   * @returns a tensor of the same shape
   */
  rotary(x: TensorLike, options?: RotaryOptions): Tensor;

  /**
   * The matrix that carries row i of the interleaved sinusoidal table to row i + delta, for every i.
   *
   * @returns [dim, dim]
   */
  rotation(options: RotationOptions): Tensor;

  /**
   * ALiBi: bias[h, i, j] = -slope[h] |i - j|. Press et al. 2022.
   *
   * @returns [heads, queryLength, keyLength], for the `bias` of attention
   */
  alibi(options: AlibiOptions): Tensor;

  /** The slopes of ALiBi, one for each head. */
  alibiSlopes(heads: number): number[];

  /**
   * T5: bias[h, i, j] = table[bucket(j - i), h], buckets growing logarithmically. Raffel et al. 2020.
   *
   * @param table [buckets, heads]
   * @returns [heads, queryLength, keyLength], for the `bias` of attention
   */
  relativeBias(table: TensorLike, options: RelativeBiasOptions): Tensor;

  /**
   * The bits of each position, the least significant first.
   *
   * @returns [length, bits]
   */
  binary(options: BinaryOptions): Tensor;
}

/** @internal */
export function bindPosition(runtime: Runtime): Position {
  return Object.freeze({
    sinusoidal: (options) => runtime.runForTensor("position.sinusoidal", [options]),
    learned: (options) => runtime.runForTensor("position.learned", [options]),
    rotary: (x, options) => runtime.runForTensor("position.rotary", [x, options]),
    rotation: (options) => runtime.runForTensor("position.rotation", [options]),
    alibi: (options) => runtime.runForTensor("position.alibi", [options]),
    alibiSlopes: (heads) => Array.from(runtime.runForTensor("position.alibiSlopes", [heads]).data),
    relativeBias: (table, options) =>
      runtime.runForTensor("position.relativeBias", [table, options]),
    binary: (options) => runtime.runForTensor("position.binary", [options]),
  } satisfies Position);
}
