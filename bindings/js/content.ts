import type { Mask } from "./mask.js";
import type { Runtime } from "./runtime.js";
import type { Tensor } from "./tensor.js";
import type { TensorLike } from "./tensor-like.js";

/** Options of `qkv.topKAttention`: `k`, `threshold` or both. */
export interface TopKOptions {
  /** How many weights of each query stay, 1 or more; of equal scores the earlier key stays. */
  readonly k?: number | undefined;
  /** Weights below it are dropped, 0 to 1; they are compared before anything is dropped. */
  readonly threshold?: number | undefined;
  /** Replaces 1 / sqrt(D). */
  readonly scale?: number | undefined;
  /** Which query may see which key. */
  readonly mask?: Mask | undefined;
}

/** Options of `qkv.clusteredAttention`. Clusters are whole numbers of 0 or more. */
export interface ClusteredOptions<Like = TensorLike> {
  /** [Lq], or [..., Lq]. */
  readonly queryClusters: Like;
  /** [Lk], or [..., Lk]. */
  readonly keyClusters: Like;
  /** Default false. */
  readonly causal?: boolean | undefined;
}

/** Options of `qkv.sinkhornAttention`. */
export interface SinkhornOptions<Like = TensorLike> {
  /** Tokens of a block, 1 or more; the last block may be shorter. */
  readonly blockSize: number;
  /** [2D, blocks], or [..., 2D, blocks]. */
  readonly sortWeights: Like;
  /** Rounds of normalising rows, then columns. Default 5. */
  readonly iterations?: number | undefined;
  /** Divides the logarithms before they are normalised, above 0. Default 0.75. */
  readonly temperature?: number | undefined;
  /** A block sees only blocks before it. Default false. */
  readonly causal?: boolean | undefined;
}

/** Options of `qkv.lshAttention`. */
export interface LshOptions<Like = TensorLike> {
  /** An even number, 2 or more. */
  readonly buckets: number;
  /** Tokens of a chunk, 1 or more. */
  readonly chunkSize: number;
  /** Default 1. */
  readonly rounds?: number | undefined;
  /** Of the rotations, unless they are given. Default 0. */
  readonly seed?: number | undefined;
  /** [D, rounds, buckets / 2], normal numbers; for all heads. */
  readonly rotations?: Like | undefined;
  /** By positions in the sequence, not by places in the sorted order. Default false. */
  readonly causal?: boolean | undefined;
}

/** Options of `qkv.routingAttention`. */
export interface RoutingOptions<Like = TensorLike> {
  /** [C, D], or [..., C, D]; for instance of `qkv.kMeans`. */
  readonly centroids: Like;
  /** How many tokens a centroid takes, 1 or more. */
  readonly windowSize: number;
  /** Inside a cluster; which tokens it takes depends on all of them. Default false. */
  readonly causal?: boolean | undefined;
}

/** Options of `qkv.kMeans`. */
export interface KMeansOptions {
  /** How many centroids, 1 or more. */
  readonly clusters: number;
  /** Default 10. */
  readonly iterations?: number | undefined;
  /** Of the rows at which it begins. Default 0. */
  readonly seed?: number | undefined;
}

/**
 * Attention whose pairs are chosen by what the tokens hold. Each function throws `QkvError`
 * `"shape"`, `"argument"`, `"memory"` or `"disposed"`.
 */
export interface ContentAttention {
  /**
   * Keeps the largest weights of each query, and divides them by their sum.
   *
   * @param query [..., H, Lq, D]
   * @param key [..., Hkv, Lk, D]
   * @param value [..., Hkv, Lk, Dv]
   * @returns `output` [..., H, Lq, Dv]
   */
  topKAttention(
    query: TensorLike,
    key: TensorLike,
    value: TensorLike,
    options: TopKOptions,
  ): { output: Tensor };

  /**
   * A query sees the keys of its own cluster and no others; where there are none it gives zeros.
   *
   * @param query [..., H, Lq, D]
   * @param key [..., Hkv, Lk, D]
   * @param value [..., Hkv, Lk, Dv]
   * @returns `output` [..., H, Lq, Dv]
   */
  clusteredAttention(
    query: TensorLike,
    key: TensorLike,
    value: TensorLike,
    options: ClusteredOptions,
  ): { output: Tensor };

  /**
   * A block of queries sees its own keys and one other block, which a differentiable sort chooses.
   * Tay et al. 2020, Sparse Sinkhorn attention.
   *
   * @param query [..., H, L, D]
   * @param key [..., Hkv, L, D]
   * @param value [..., Hkv, L, Dv]
   * @returns `output` [..., H, L, Dv], and `sorting` [..., blocks, blocks] after the iterations
   */
  sinkhornAttention(
    query: TensorLike,
    key: TensorLike,
    value: TensorLike,
    options: SinkhornOptions,
  ): { output: Tensor; sorting: Tensor };

  /**
   * Sorts tokens of like direction next to one another by locality-sensitive hashing; each chunk of
   * the order sees itself and the chunk before it. A token sees itself only where no round shows it
   * another. Kitaev et al. 2020, Reformer.
   *
   * @param qk [..., L, D], queries that are their own keys, which are of unit length
   * @param value [..., L, Dv]
   * @returns `output` [..., L, Dv], and `buckets` [..., rounds, L]
   */
  lshAttention(
    qk: TensorLike,
    value: TensorLike,
    options: LshOptions,
  ): { output: Tensor; buckets: Tensor };

  /**
   * Each centroid takes the tokens most like it, which attend to one another. A token of several
   * clusters gets the mean of its results, one of none gets zeros. Roy et al. 2020, Routing
   * Transformer.
   *
   * @param qk [..., L, D], queries that are their own keys, which are of unit length
   * @param value [..., L, Dv]
   * @returns `output` [..., L, Dv], and `clusters` [..., C, L]: 1 where a centroid takes a token
   */
  routingAttention(
    qk: TensorLike,
    value: TensorLike,
    options: RoutingOptions,
  ): { output: Tensor; clusters: Tensor };

  /**
   * Spherical k-means: centroids of rows by their direction, for the functions above.
   *
   * @param x [..., L, D]
   * @returns `centroids` [..., C, D] of unit length, and `clusters` [..., L], each row's centroid
   */
  kMeans(x: TensorLike, options: KMeansOptions): { centroids: Tensor; clusters: Tensor };
}

/** @internal */
export function bindContent(runtime: Runtime): ContentAttention {
  const run = <Result>(operation: string, ...args: unknown[]): Result =>
    runtime.run(operation, args) as unknown as Result;
  return {
    topKAttention: (query, key, value, options) =>
      run("topKAttention", query, key, value, options),
    clusteredAttention: (query, key, value, options) =>
      run("clusteredAttention", query, key, value, options),
    sinkhornAttention: (query, key, value, options) =>
      run("sinkhornAttention", query, key, value, options),
    lshAttention: (qk, value, options) => run("lshAttention", qk, value, options),
    routingAttention: (qk, value, options) => run("routingAttention", qk, value, options),
    kMeans: (x, options) => run("kMeans", x, options),
  };
}
