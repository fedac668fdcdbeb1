import type { Mask } from "./mask.js";
import type { Runtime } from "./runtime.js";
import type { Tensor } from "./tensor.js";
import type { TensorLike } from "./tensor-like.js";

/** Options and weights of `qkv.selfAttentionBlock`; weights are [out, in], biases may be left out. */
export interface SelfAttentionBlockOptions<Like = TensorLike> {
  /** Divides D. */
  readonly numHeads: number;
  /** [3D, D]: queries, keys, values. */
  readonly inProjWeight: Like;
  /** [3D] */
  readonly inProjBias?: Like | undefined;
  /** [D, D] */
  readonly outProjWeight: Like;
  /** [D] */
  readonly outProjBias?: Like | undefined;
  /** [F, D], of the network on each token. */
  readonly linear1Weight: Like;
  /** [F] */
  readonly linear1Bias?: Like | undefined;
  /** [D, F] */
  readonly linear2Weight: Like;
  /** [D] */
  readonly linear2Bias?: Like | undefined;
  /** [D]. Default: ones. */
  readonly norm1Weight?: Like | undefined;
  /** [D]. Default: zeros. */
  readonly norm1Bias?: Like | undefined;
  /** [D]. Default: ones. */
  readonly norm2Weight?: Like | undefined;
  /** [D]. Default: zeros. */
  readonly norm2Bias?: Like | undefined;
  /** Default `"relu"`. */
  readonly activation?: "relu" | "gelu" | "silu" | undefined;
  /** Whether a layer norm comes before each part instead of behind its residual. Default `false`. */
  readonly normFirst?: boolean | undefined;
  /** Of both layer norms. Default 1e-5. */
  readonly epsilon?: number | undefined;
  /** Which token may see which, of [batch, numHeads, L, L]. */
  readonly mask?: Mask | undefined;
  /** Further results. */
  readonly returns?: { readonly weights?: boolean | undefined } | undefined;
}

/** A self-attention block. */
export interface Block {
  /**
   * A layer of a Transformer encoder, Vaswani et al. 2017: self-attention among the tokens, then a
   * network on each token, both with a residual and a layer norm. Give its output to the next one.
   * The names are those of `torch.nn.TransformerEncoderLayer`.
   *
   * @param x [..., L, D]
   * @returns `output` [..., L, D], and the `weights` [..., numHeads, L, L] if `returns` asks for them
   * @throws QkvError `"shape"`, `"argument"`, `"memory"` or `"disposed"`
   */
  selfAttentionBlock(
    x: TensorLike,
    options: SelfAttentionBlockOptions,
  ): { output: Tensor; weights?: Tensor };
}

/** @internal */
export function bindBlock(runtime: Runtime): Block {
  return {
    selfAttentionBlock: (x, options) =>
      runtime.run("selfAttentionBlock", [x, options]) as unknown as { output: Tensor },
  };
}
