import type { Mask } from "./mask.js";
import type { Runtime } from "./runtime.js";
import type { Tensor } from "./tensor.js";
import type { TensorLike } from "./tensor-like.js";

/** The mixed values. */
export interface MixerResult {
  /** [..., L, value width], or the shape of `x`. */
  readonly output: Tensor;
}

/** Scores of the Synthesizer that come from each token alone: relu(x W1ᵀ + b1) W2ᵀ + b2. */
export interface DenseScores<Like = TensorLike> {
  /** [hidden, D]. */
  readonly weight1: Like;
  /** [hidden]; default zeros. */
  readonly bias1?: Like | undefined;
  /** [L or more, hidden]. */
  readonly weight2: Like;
  /** [as many as weight2 has]; default zeros. */
  readonly bias2?: Like | undefined;
}

/**
 * Where the scores of `qkv.synthesizer` come from: one or several, which are added up. Every table
 * may have a head axis in front.
 */
export interface SynthesizerOptions<Like = TensorLike> {
  /** From each token alone. */
  readonly dense?: DenseScores<Like> | undefined;
  /** From nothing: the scores themselves, [L or more, L or more]. */
  readonly random?: Like | undefined;
  /** From nothing, as a product: left [L or more, rank], right [rank, L or more]. */
  readonly factorized?: { readonly left: Like; readonly right: Like } | undefined;
  /** Which query may see which key. */
  readonly mask?: Mask | undefined;
}

/** Weights of `qkv.mlpMixer`, [outputs, inputs] each. T and C are the hidden widths. */
export interface MlpMixerWeights<Like = TensorLike> {
  /** Of the layer norm before tokens are mixed, [D]; default ones. */
  readonly norm1Weight?: Like | undefined;
  /** [D]; default zeros. */
  readonly norm1Bias?: Like | undefined;
  /** [T, L]. */
  readonly tokenWeight1: Like;
  /** [T]; default zeros. */
  readonly tokenBias1?: Like | undefined;
  /** [L, T]. */
  readonly tokenWeight2: Like;
  /** [L]; default zeros. */
  readonly tokenBias2?: Like | undefined;
  /** Of the layer norm before features are mixed, [D]; default ones. */
  readonly norm2Weight?: Like | undefined;
  /** [D]; default zeros. */
  readonly norm2Bias?: Like | undefined;
  /** [C, D]. */
  readonly channelWeight1: Like;
  /** [C]; default zeros. */
  readonly channelBias1?: Like | undefined;
  /** [D, C]. */
  readonly channelWeight2: Like;
  /** [D]; default zeros. */
  readonly channelBias2?: Like | undefined;
  /** Default `"exact"`; `"tanh"` is the approximation that some libraries use. */
  readonly gelu?: "exact" | "tanh" | undefined;
  /** Of both layer norms, default 1e-5. */
  readonly epsilon?: number | undefined;
}

/** Weights of `qkv.gmlp`, [outputs, inputs] each. F is the width of the gate. */
export interface GmlpWeights<Like = TensorLike> {
  /** Of the layer norm in front, [D]; default ones. */
  readonly normWeight?: Like | undefined;
  /** [D]; default zeros. */
  readonly normBias?: Like | undefined;
  /** [2 F, D]: what is gated, then the gate. */
  readonly inWeight: Like;
  /** [2 F]; default zeros. */
  readonly inBias?: Like | undefined;
  /** Of the gate's layer norm, [F]; default ones. */
  readonly gateNormWeight?: Like | undefined;
  /** [F]; default zeros. */
  readonly gateNormBias?: Like | undefined;
  /** [L, L] over tokens; may be larger if causal. */
  readonly spatialWeight: Like;
  /** One for each token, as many as spatialWeight has; default zeros. */
  readonly spatialBias?: Like | undefined;
  /** [D, F]. */
  readonly outWeight: Like;
  /** [D]; default zeros. */
  readonly outBias?: Like | undefined;
  /** Uses only the lower triangle of spatialWeight, so that no token sees a later one. */
  readonly causal?: boolean | undefined;
  /** Default `"exact"`; `"tanh"` is the approximation that some libraries use. */
  readonly gelu?: "exact" | "tanh" | undefined;
  /** Of both layer norms, default 1e-5. */
  readonly epsilon?: number | undefined;
}

/**
 * Mixing tokens without comparing queries with keys. Each function throws `QkvError` `"shape"`,
 * `"argument"`, `"memory"` or `"disposed"`.
 */
export interface Mixers {
  /**
   * softmax(scores) V with scores that do not come from pairs of tokens. Tay et al. 2020.
   *
   * @param x [..., L, D]
   * @param value [..., L, value width]
   * @returns `output` [..., L, value width]
   */
  synthesizer(x: TensorLike, value: TensorLike, options: SynthesizerOptions): MixerResult;

  /**
   * The real part of the Fourier transform over features and tokens, not normalised, for any length.
   * Lee-Thorp et al. 2021. There is no mask: rows of padding change all others.
   *
   * @param x [..., L, D]
   * @returns `output` of the same shape
   */
  fnet(x: TensorLike): MixerResult;

  /**
   * x + mlp over tokens of LN(x), then the same over features. Tolstikhin et al. 2021.
   *
   * @param x [..., L, D]
   * @returns `output` of the same shape
   */
  mlpMixer(x: TensorLike, weights: MlpMixerWeights): MixerResult;

  /**
   * x + out(u * spatial(LN(v))), [u, v] = gelu(in(LN(x))). Liu et al. 2021.
   *
   * @param x [..., L, D]
   * @returns `output` of the same shape
   */
  gmlp(x: TensorLike, weights: GmlpWeights): MixerResult;
}

/** @internal */
export function bindMixers(runtime: Runtime): Mixers {
  const run = (operation: string, args: readonly unknown[]) =>
    runtime.run(operation, args) as unknown as MixerResult;
  return {
    synthesizer: (x, value, options) => run("synthesizer", [x, value, options]),
    fnet: (x) => run("fnet", [x]),
    mlpMixer: (x, weights) => run("mlpMixer", [x, weights]),
    gmlp: (x, weights) => run("gmlp", [x, weights]),
  };
}
