import type { BooleanTensorLike, TensorLike } from "./tensor-like.js";

/**
 * A statement about pairs (query i, key j), both counted from 0: which query may see which key. A
 * plain frozen object, made by the functions of {@link mask}; reuse it for any sizes it fits.
 */
export type Mask =
  | { readonly kind: "causal"; readonly offset: number | "end" }
  | { readonly kind: "window"; readonly left?: number; readonly right?: number }
  | { readonly kind: "strided"; readonly stride: number; readonly causal: boolean }
  | { readonly kind: "dilated"; readonly radius: number; readonly dilation: number }
  | { readonly kind: "blockLocal"; readonly size: number }
  | { readonly kind: "global"; readonly tokens: Indices }
  | { readonly kind: "random"; readonly count: number; readonly seed: number }
  | {
      readonly kind: "blocks";
      readonly size: number;
      readonly pairs?: TensorLike;
      readonly layout?: BooleanTensorLike;
    }
  | { readonly kind: "edges"; readonly rowOffsets: Indices; readonly columns: Indices }
  | { readonly kind: "lengths"; readonly key: Indices; readonly query?: Indices }
  | { readonly kind: "segments"; readonly query: TensorLike; readonly key: TensorLike }
  | { readonly kind: "keep"; readonly matrix: BooleanTensorLike }
  | { readonly kind: "ignore"; readonly matrix: BooleanTensorLike }
  | {
      readonly kind: "sparseTransformer";
      readonly stride: number;
      readonly pattern: "strided" | "fixed";
      readonly summary?: number;
    }
  | { readonly kind: "longformer"; readonly window: number; readonly global: Indices }
  | {
      readonly kind: "bigBird";
      readonly blockSize?: number;
      readonly randomBlocks?: number;
      readonly seed?: number;
      readonly globalBlocks?: number;
      readonly pairs?: TensorLike;
    }
  | { readonly kind: "and" | "or" | "perHead"; readonly masks: readonly Mask[] }
  | { readonly kind: "not"; readonly mask: Mask };

/** A list of whole numbers: an array or an integer typed array. */
export type Indices = TensorLike;

/** Options of {@link mask.causal}. */
export interface CausalOptions {
  /** How many keys after its own position a query sees; `"end"` aligns the last query and key. */
  readonly offset?: number | "end" | undefined;
}

/** Options of {@link mask.window}. */
export interface WindowOptions {
  /** Keys before the query's own position; unbounded when omitted. */
  readonly left?: number | undefined;
  /** Keys after the query's own position; unbounded when omitted. */
  readonly right?: number | undefined;
}

/** Options of {@link mask.blocks}: either `pairs` or `layout`. */
export interface BlocksOptions {
  /** Positions in a block. */
  readonly size: number;
  /** Allowed pairs `[query block, key block]`. */
  readonly pairs?: TensorLike | undefined;
  /** The same as a matrix of truth values, `[query blocks, key blocks]`. */
  readonly layout?: BooleanTensorLike | undefined;
}

/** Options of {@link mask.sparseTransformer}. */
export interface SparseTransformerOptions {
  /** Keys of the window and distance of those before it, or positions of a block. */
  readonly stride: number;
  /** Default `"strided"`. */
  readonly kind?: "strided" | "fixed" | undefined;
  /** Only for `"fixed"`: keys seen of each earlier block, 1 (the default) to stride. */
  readonly summary?: number | undefined;
}

/** Options of {@link mask.bigBird}. */
export interface BigBirdOptions {
  /** Positions in a block, default 64; the last block may be shorter. */
  readonly blockSize?: number | undefined;
  /** Blocks drawn for each head and row of blocks, beside window and global ones; default 3. */
  readonly randomBlocks?: number | undefined;
  /** Default 0. The same seed draws the same blocks on every platform. */
  readonly seed?: number | undefined;
  /** Of g, the first ceil(g / 2) and the last floor(g / 2) blocks are global; default 2. */
  readonly globalBlocks?: number | undefined;
  /** Instead of the random blocks: pairs `[query block, key block]`, the same for all heads. */
  readonly pairs?: TensorLike | undefined;
}

// Options are passed on as they are, so that the core sees, and names, one that it does not know.
// Something that is not an object of options travels as an entry "options", which no mask knows.
function describe(kind: Mask["kind"], options: unknown, defaults?: object): Mask {
  const entries: Record<string, unknown> = { kind, ...defaults };
  if (options !== null && typeof options === "object" && !Array.isArray(options)) {
    for (const [name, value] of Object.entries(options)) {
      if (value !== undefined) entries[name] = value;
    }
    entries["kind"] = kind;
  } else if (options !== undefined) {
    entries["options"] = options;
  }
  return Object.freeze(entries) as unknown as Mask;
}

/**
 * Masks: which query may see which key. These functions only describe, and need no WebAssembly; the
 * call that uses a mask checks it and throws `QkvError` `"argument"` or `"shape"`.
 *
 * A masked key is selected away: NaN or infinity behind a mask never reaches a result. A query that
 * may see no key gives zeros. Time and memory follow the number of allowed pairs.
 */
export const mask = Object.freeze({
  /** j <= i + offset. Offset 0 aligns the first query with the first key, `"end"` the last ones. */
  causal: (options?: CausalOptions): Mask => describe("causal", options, { offset: 0 }),

  /**
   * i - left <= j <= i + right: a sliding window, the "truncated" attention of speech recognition.
   * The query's own position is always inside.
   */
  window: (options: WindowOptions): Mask => describe("window", options),

  /** (i - j) mod stride == 0, and j <= i when `causal`. Sparse Transformer, Child et al. 2019. */
  strided: (options: { readonly stride: number; readonly causal?: boolean | undefined }): Mask =>
    describe("strided", options, { causal: false }),

  /** |i - j| <= radius * dilation and divisible by dilation. Longformer, Beltagy et al. 2020. */
  dilated: (options: { readonly radius: number; readonly dilation: number }): Mask =>
    describe("dilated", options),

  /** i and j lie in the same block of `size` positions. */
  blockLocal: (options: { readonly size: number }): Mask => describe("blockLocal", options),

  /** The row or the column is one of the global `tokens`. */
  global: (options: { readonly tokens: Indices }): Mask => describe("global", options),

  /** `count` different keys for each query, drawn from `seed`; the same for all heads. */
  random: (options: { readonly count: number; readonly seed: number }): Mask =>
    describe("random", options),

  /** Block-sparse: the listed pairs of blocks. */
  blocks: (options: BlocksOptions): Mask => describe("blocks", options),

  /**
   * Attention on a graph in compressed sparse rows: query i sees
   * `columns[rowOffsets[i] .. rowOffsets[i + 1])`.
   */
  edges: (options: { readonly rowOffsets: Indices; readonly columns: Indices }): Mask =>
    describe("edges", options),

  /** Valid lengths, one per batch entry or one for all; queries beyond theirs give zeros. */
  lengths: (options: { readonly key: Indices; readonly query?: Indices | undefined }): Mask =>
    describe("lengths", options),

  /** The same segment id, for documents packed into one sequence; ids are [L] or [batch, L]. */
  segments: (options: { readonly query: TensorLike; readonly key: TensorLike }): Mask =>
    describe("segments", options),

  /** An explicit matrix, broadcast from the right to [..., heads, Lq, Lk]: true may attend. */
  keep: (matrix: BooleanTensorLike): Mask => describe("keep", undefined, { matrix }),

  /** The opposite polarity: true may not attend. */
  ignore: (matrix: BooleanTensorLike): Mask => describe("ignore", undefined, { matrix }),

  /**
   * Sparse Transformer, Child et al. 2019, causal. `"strided"`: the last `stride` keys, and every
   * stride-th before the query's own. `"fixed"`: the query's own block of `stride` positions up to
   * itself, and the last `summary` keys of each block before it.
   */
  sparseTransformer: (options: SparseTransformerOptions): Mask =>
    // In a description `kind` says which mask it is.
    describe("sparseTransformer", options, { pattern: options?.kind ?? "strided" }),

  /**
   * |i - j| <= window, plus the `global` tokens, which see and are seen by all.
   * Beltagy et al. 2020, whose `attention_window` is twice this window.
   */
  longformer: (options: { readonly window: number; readonly global: Indices }): Mask =>
    describe("longformer", options),

  /**
   * Block-sparse: the blocks beside one's own, the global ones, and some drawn at random for each
   * head. Zaheer et al. 2020.
   */
  bigBird: (options?: BigBirdOptions): Mask => describe("bigBird", options),

  /** Pairs that every mask allows. */
  and: (...masks: readonly Mask[]): Mask => describe("and", undefined, { masks }),

  /** Pairs that some mask allows. */
  or: (...masks: readonly Mask[]): Mask => describe("or", undefined, { masks }),

  /** Pairs that the mask does not allow. */
  not: (of: Mask): Mask => describe("not", undefined, { mask: of }),

  /** One mask for each head. */
  perHead: (masks: readonly Mask[]): Mask => describe("perHead", undefined, { masks }),
});
