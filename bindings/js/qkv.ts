import { attentionArguments } from "./attention.js";
import { bindBaselines, type Baselines } from "./baselines.js";
import { bindBlock, type Block } from "./block.js";
import { bindContent, type ContentAttention } from "./content.js";
import { bindFewerKeys, type FewerKeys } from "./fewer-keys.js";
import { MultiHeadAttention, PositionalEncoding } from "./layers.js";
import { bindLinearAttention, type LinearAttention } from "./linear-attention.js";
import type { Mask } from "./mask.js";
import { bindMechanisms, type Mechanism } from "./mechanisms.js";
import { bindMixers, type Mixers } from "./mixers.js";
import type {
  AttentionOptions,
  AttentionResult,
  MaskSizes,
  MaskStats,
  MultiHeadAttentionConfig,
  PositionalEncodingConfig,
  Returns,
} from "./options.js";
import { bindPicking, type Picking } from "./picking.js";
import { bindPosition, type Position } from "./position.js";
import type { Runtime } from "./runtime.js";
import type { Tensor } from "./tensor.js";
import type { TensorLike } from "./tensor-like.js";

/** Which kernels: each variant has a WebAssembly binary without threads, and one with them. */
export type Variant = "simd128" | "relaxed";

/** What the functions run on. */
export interface Backend {
  /** `"relaxed"` has fused multiply-add and is faster; not every engine has it. */
  readonly variant: Variant;
  /** How many threads compute, the caller's among them. */
  readonly threads: number;
  /** Whether the page may share memory between threads. */
  readonly crossOriginIsolated: boolean;
}

/** A loaded core. Functions may be called in any order, and taken off the object. */
export interface Qkv
  extends
    Baselines,
    Block,
    ContentAttention,
    FewerKeys,
    LinearAttention,
    Mixers,
    Picking {
  /** Version of the package and of the core. */
  readonly version: string;
  readonly backend: Backend;

  /**
   * Exact attention: score, scale, softcap, bias, mask, normalise, dropout, aggregate.
   * Vaswani et al. 2017. Memory grows with the sequence length, not with its square, unless weights
   * or scores are asked for.
   *
   * The query's head axis may be a multiple of the key's and value's: query head h then reads
   * key/value head floor(h / (H / Hkv)). Lengths and batch may be 0. A query that may attend to
   * nothing gives zeros.
   *
   * @param query [..., H, Lq, D]
   * @param key [..., Hkv, Lk, D]
   * @param value [..., Hkv, Lk, Dv]
   * @returns `output` [..., H, Lq, Dv], and what `returns` asks for
   * @throws QkvError `"shape"`, `"argument"`, `"memory"` or `"disposed"`
   */
  attention<const R extends Returns = Record<never, never>>(
    query: TensorLike,
    key: TensorLike,
    value: TensorLike,
    options?: AttentionOptions<R>,
  ): AttentionResult<R>;

  /**
   * x Wᵀ + b: the projection in front of and behind attention.
   *
   * @param x [..., L, inputs]
   * @param weight [outputs, inputs], as PyTorch stores it; one that is stored [inputs, outputs] is
   *   given as `{ data, shape: [outputs, inputs], strides: [1, outputs] }`
   * @param bias [outputs]
   * @returns [..., L, outputs]
   * @throws QkvError `"shape"`, `"argument"`, `"memory"` or `"disposed"`
   */
  linear(x: TensorLike, weight: TensorLike, bias?: TensorLike): Tensor;

  /**
   * Copies `x` into WebAssembly's memory once, so that it can be used many times without another
   * copy. Dispose of it when it is no longer needed; forgotten tensors are reclaimed in time.
   *
   * @throws QkvError `"shape"`, `"argument"`, `"memory"` or `"disposed"`
   */
  tensor(x: TensorLike): Tensor;

  /**
   * The mask as zeros and ones, read back from the plan that the kernel follows; for pictures and
   * tests.
   *
   * @returns [queryLength, keyLength], with a head and a batch axis in front if they are given
   * @throws QkvError `"shape"`, `"argument"` or `"memory"`
   */
  maskMatrix(mask: Mask, sizes: MaskSizes): Tensor;

  /**
   * How many pairs a mask allows, and how many tiles of the kernel's plan they fill.
   *
   * @throws QkvError `"shape"`, `"argument"` or `"memory"`
   */
  maskStats(mask: Mask, sizes: MaskSizes): MaskStats;

  /** The catalogue: every mechanism once, with what it costs and a function that runs it. */
  readonly mechanisms: readonly Mechanism[];

  /** Where a token stands. */
  readonly position: Position;

  /**
   * Makes a multi-head attention layer.
   *
   * @throws QkvError `"argument"` when the numbers do not fit, or `"memory"`
   */
  readonly MultiHeadAttention: new (config: MultiHeadAttentionConfig) => MultiHeadAttention;

  /**
   * Makes a layer that adds positions.
   *
   * @throws QkvError `"argument"` when the numbers do not fit, or `"memory"`
   */
  readonly PositionalEncoding: new (config: PositionalEncodingConfig) => PositionalEncoding;

  /** WebAssembly's memory, in bytes: what is in use, and what the module has taken from the system. */
  memory(): { used: number; total: number };
}

/** @internal */
export function createQkv(runtime: Runtime, backend: Backend): Qkv {
  const { core } = runtime;
  let mechanisms: readonly Mechanism[] | undefined;
  return Object.freeze({
    version: core.version,
    backend: Object.freeze(backend),
    attention: <const R extends Returns>(
      query: TensorLike,
      key: TensorLike,
      value: TensorLike,
      options?: AttentionOptions<R>,
    ) => {
      const { args, out } = attentionArguments(query, key, value, options);
      return runtime.run("attention", args, out) as AttentionResult<R>;
    },
    linear: (x, weight, bias) => runtime.runForTensor("linear", [x, weight, bias]),
    tensor: (x) => runtime.runResident("tensor", [x])["output"],
    maskMatrix: (mask, sizes) => runtime.runForTensor("maskMatrix", [mask, sizes]),
    maskStats: (mask, sizes) => runtime.run("maskStats", [mask, sizes]) as unknown as MaskStats,
    ...bindBaselines(runtime),
    ...bindBlock(runtime),
    ...bindContent(runtime),
    ...bindFewerKeys(runtime),
    ...bindLinearAttention(runtime),
    ...bindMixers(runtime),
    ...bindPicking(runtime),
    get mechanisms() {
      mechanisms ??= bindMechanisms(runtime);
      return mechanisms;
    },
    position: bindPosition(runtime),
    MultiHeadAttention: class extends MultiHeadAttention {
      constructor(config: MultiHeadAttentionConfig) {
        super(runtime, config);
      }
    },
    PositionalEncoding: class extends PositionalEncoding {
      constructor(config: PositionalEncodingConfig) {
        super(runtime, config);
      }
    },
    memory: () => ({ used: core.used(), total: core.heap.memory.buffer.byteLength }),
  } satisfies Qkv);
}
