import type { Mask } from "./mask.js";
import type { Tensor } from "./tensor.js";
import type { TensorLike } from "./tensor-like.js";

/**
 * How alike a query and a key are.
 *
 * - `"scaledDot"`: q·k / sqrt(D), Vaswani et al. 2017
 * - `"dot"`: q·k
 * - `"cosine"`: q·k / (|q| |k|), 0 when either is the zero vector
 * - `additive`: vector · tanh(queryWeight q + keyWeight k), weights [hidden, D] and a vector
 *   [hidden], Bahdanau et al. 2015
 * - `bilinear`: q · weight k, weight [query width, key width], Luong et al. 2015
 */
export type Score<Like = TensorLike> =
  | "scaledDot"
  | "dot"
  | "cosine"
  | {
      readonly additive: {
        readonly queryWeight: Like;
        readonly keyWeight: Like;
        readonly vector: Like;
      };
    }
  | { readonly bilinear: { readonly weight: Like } };

/**
 * How scores become weights.
 *
 * - `"softmax"`
 * - `"relu"`: max(s, 0) divided by the row's sum; a row that sums to 0 gives zeros
 * - `"sigmoid"`: 1 / (1 + exp(-s)) each; rows do not sum to 1
 * - `"hard"`: all weight on the largest score, the first one of equals
 * - `sample`: all weight on one key drawn from the softmax, Xu et al. 2015
 */
export type Normalizer =
  "softmax" | "relu" | "sigmoid" | "hard" | { readonly sample: { readonly seed: number } };

/** Dropout on the weights: each becomes 0 with probability `p`, the others grow by 1 / (1 - p). */
export interface Dropout {
  /** Between 0 and 1. */
  readonly p: number;
  /** The same seed drops the same weights on every platform. */
  readonly seed: number;
}

/** Further results of attention. They cost memory that grows with Lq x Lk, so they are asked for. */
export interface Returns {
  /** [..., Lq, Lk], after dropout: what multiplied the values. */
  readonly weights?: boolean | undefined;
  /** [..., Lq, Lk], after scale, softcap and bias; -Infinity where the mask forbids the pair. */
  readonly scores?: boolean | undefined;
  /** [..., Lq], natural logarithm of each row's sum of exponentials; softmax only. */
  readonly logSumExp?: boolean | undefined;
}

/** `output` and what was asked for by {@link Returns}. */
export type AttentionResult<R extends Returns = Record<never, never>> = {
  /** [..., Lq, value width]. */
  readonly output: Tensor;
} & {
  readonly [
    Name in keyof Returns as Name extends keyof R ? (R[Name] extends true ? Name : never) : never
  ]-?: Tensor;
} & {
  readonly [
    Name in keyof Returns as Name extends keyof R
      ? true extends R[Name]
        ? R[Name] extends true
          ? never
          : Name
        : never
      : never
  ]?: Tensor;
};

/** Options of `qkv.attention`, in the order in which they take effect. */
export interface AttentionOptions<R extends Returns = Returns, Like = TensorLike> {
  /** Default `"scaledDot"`. */
  readonly score?: Score<Like> | undefined;
  /** Multiplies the scores; replaces the 1 / sqrt(D) of `"scaledDot"` and the 1 of the others. */
  readonly scale?: number | undefined;
  /** Scores become c * tanh(score / c), after scale and before bias and mask. 0 is off. */
  readonly softcap?: number | undefined;
  /** Added to the scores; broadcasts from the right to [..., Lq, Lk]. -Infinity excludes a key. */
  readonly bias?: Like | undefined;
  /** Which query may see which key. */
  readonly mask?: Mask | undefined;
  /** Default `"softmax"`. */
  readonly normalizer?: Normalizer | undefined;
  /** One logit for each head: joins the softmax's maximum and denominator but has no value. */
  readonly sinks?: Like | undefined;
  /** Off when absent. */
  readonly dropout?: Dropout | undefined;
  /** Further results. */
  readonly returns?: R | undefined;
  /** Written instead of a new array: as many elements as the output has. */
  readonly out?: Float32Array | undefined;
}

/** The sizes a mask is read for. */
export interface MaskSizes {
  readonly queryLength: number;
  readonly keyLength: number;
  /** Default: no head axis. */
  readonly heads?: number | undefined;
  /** Default: no batch axis. */
  readonly batch?: number | undefined;
}

/** What a mask costs. */
export interface MaskStats {
  /** Allowed pairs, over all heads and batch entries. */
  readonly pairs: number;
  /** Allowed pairs divided by all pairs. */
  readonly density: number;
  /** Tiles of the plan that hold an allowed pair. */
  readonly blocks: number;
  /** Of these, tiles in which every pair is allowed. */
  readonly fullBlocks: number;
}

/** Options of `qkv.position.sinusoidal`. */
export interface SinusoidalOptions {
  /** Rows of the table. */
  readonly length: number;
  /** Columns of the table; may be odd. */
  readonly dim: number;
  /** Default 10000. */
  readonly base?: number | undefined;
  /** Sine and cosine of one frequency side by side (default), or all sines first. */
  readonly layout?: "interleaved" | "concatenated" | undefined;
  /** Position of the first row, default 0. */
  readonly offset?: number | undefined;
}

/** Options of `qkv.position.learned`. */
export interface LearnedOptions {
  readonly length: number;
  readonly dim: number;
  readonly seed: number;
}

/** Options of `qkv.position.rotary`: either `positions` or `offset`. */
export interface RotaryOptions {
  /** One position for each token. */
  readonly positions?: TensorLike | undefined;
  /** Position of the first token, default 0; the others follow. */
  readonly offset?: number | undefined;
  /** Default 10000. */
  readonly base?: number | undefined;
  /** Pairs feature i with i + D/2 (default; GPT-NeoX, Llama), or 2i with 2i + 1 (GPT-J). */
  readonly layout?: "half" | "interleaved" | undefined;
  /** Rotates only the first `dims` features; even; default all. */
  readonly dims?: number | undefined;
}

/** Options of `qkv.position.rotation`. */
export interface RotationOptions {
  /** How many positions the matrix moves on. */
  readonly delta: number;
  /** Columns of the table; even. */
  readonly dim: number;
  /** Default 10000. */
  readonly base?: number | undefined;
}

/** Options of `qkv.position.alibi`. */
export interface AlibiOptions {
  readonly heads: number;
  readonly queryLength: number;
  readonly keyLength: number;
}

/** Options of `qkv.position.relativeBias`. */
export interface RelativeBiasOptions {
  readonly queryLength: number;
  readonly keyLength: number;
  /** Whether keys after the query have buckets of their own. */
  readonly bidirectional?: boolean | undefined;
  /** Default 32. */
  readonly buckets?: number | undefined;
  /** Farther keys share the last bucket; default 128. */
  readonly maxDistance?: number | undefined;
}

/** Options of `qkv.position.binary`. */
export interface BinaryOptions {
  readonly length: number;
  /** Columns: bit k of the position is in column k, the least significant first. */
  readonly bits: number;
}

/** What a multi-head attention layer is made of. */
export interface MultiHeadAttentionConfig {
  /** Width of the queries and of the output. */
  readonly embedDim: number;
  /** Query heads. */
  readonly numHeads: number;
  /** Key and value heads, which must divide `numHeads`; default as many (Ainslie et al. 2023). */
  readonly numKvHeads?: number | undefined;
  /** Width of a head; default `embedDim / numHeads`, which must be whole. */
  readonly headDim?: number | undefined;
  /** Width of the keys' input; default `embedDim`. */
  readonly kDim?: number | undefined;
  /** Width of the values' input; default `embedDim`. */
  readonly vDim?: number | undefined;
  /** Whether the four projections have a bias; default true. */
  readonly bias?: boolean | undefined;
  /** Dropout of the weights in training; default 0. */
  readonly dropout?: number | undefined;
  /** Of the first parameters and of the dropout; default 0. */
  readonly seed?: number | undefined;
}

/** What a forward call of a layer in training may say. */
export interface TrainingOptions {
  /** Turns the layer's dropout on. */
  readonly training?: boolean | undefined;
  /** Of this call's dropout; default the layer's seed plus the number of training calls so far. */
  readonly seed?: number | undefined;
}

/** Options of `MultiHeadAttention.forward`: those of attention, per head, and of training. */
export type MultiHeadForwardOptions<
  R extends Returns = Returns,
  Like = TensorLike,
> = AttentionOptions<R, Like> & TrainingOptions;

/** What a positional encoding is made of. */
export interface PositionalEncodingConfig {
  /** Width of its input. */
  readonly dim: number;
  /** Longest sequence; default 1000. */
  readonly maxLength?: number | undefined;
  /** Dropout of the sum in training; default 0. */
  readonly dropout?: number | undefined;
  /** A fixed table (default) or one drawn from normal(0, 0.02). */
  readonly kind?: "sinusoidal" | "learned" | undefined;
  /** Of a learned table and of the dropout. */
  readonly seed?: number | undefined;
}
