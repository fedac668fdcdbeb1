// Layers keep their parameters as resident tensors; what they compute is in the core, which has no
// state of its own.
import { attentionArguments } from "./attention.js";
import { disposeSymbol } from "./dispose-symbol.js";
import type {
  AttentionResult,
  MultiHeadAttentionConfig,
  MultiHeadForwardOptions,
  PositionalEncodingConfig,
  Returns,
  TrainingOptions,
} from "./options.js";
import type { Runtime } from "./runtime.js";
import type { Tensor } from "./tensor.js";
import type { TensorLike } from "./tensor-like.js";

/** Parameters by name, as `torch.nn.Module.state_dict()` gives them. */
export type StateDict<Like = TensorLike> = Readonly<Record<string, Like>>;

// Each training call draws another dropout, and the same ones in each run.
class Training {
  #calls = 0;

  constructor(readonly seed: number | undefined) {}

  /** `options` with a seed if one is needed. */
  seeded<Options extends TrainingOptions>(options: Options | undefined): Options | undefined {
    if (options?.training !== true || options.seed !== undefined) return options;
    return { ...options, seed: (this.seed ?? 0) + this.#calls };
  }

  /** A call has succeeded. */
  count(options: TrainingOptions | undefined): void {
    if (options?.training === true) ++this.#calls;
  }
}

/**
 * Multi-head attention with its four projections, concat(heads) W_o. Vaswani et al. 2017.
 *
 * Parameters, [out, in] as PyTorch stores them: `q_proj.weight` [numHeads * headDim, embedDim],
 * `k_proj.weight` [numKvHeads * headDim, kDim], `v_proj.weight` [numKvHeads * headDim, vDim],
 * `out_proj.weight` [embedDim, numHeads * headDim], and the four biases [out]. A new layer has
 * Xavier-uniform weights drawn from its seed, and zero biases.
 */
export class MultiHeadAttention {
  /** What the layer was made of. */
  readonly config: Readonly<MultiHeadAttentionConfig>;
  readonly #runtime: Runtime;
  readonly #training: Training;
  #parameters: Record<string, Tensor>;

  /** @internal */
  constructor(runtime: Runtime, config: MultiHeadAttentionConfig) {
    this.config = Object.freeze({ ...config });
    this.#runtime = runtime;
    this.#parameters = runtime.runResident("MultiHeadAttention.create", [config]);
    this.#training = new Training(config.seed);
  }

  /**
   * Attends from each query to the keys. Without a key this is self-attention; without a value the
   * values are the keys.
   *
   * @param query [..., Lq, embedDim]
   * @param key [..., Lk, kDim]
   * @param value [..., Lk, vDim]
   * @returns `output` [..., Lq, embedDim], and what `returns` asks for, with a head axis
   * @throws QkvError `"shape"`, `"argument"`, `"memory"` or `"disposed"`
   */
  forward<const R extends Returns = Record<never, never>>(
    query: TensorLike,
    key: TensorLike = query,
    value: TensorLike = key,
    options?: MultiHeadForwardOptions<R>,
  ): AttentionResult<R> {
    const seeded = this.#training.seeded(options);
    const { args, out } = attentionArguments(query, key, value, seeded);
    const results = this.#runtime.run(
      "MultiHeadAttention.forward",
      [this.config, this.#parameters, ...args],
      out,
    );
    this.#training.count(options);
    return results as AttentionResult<R>;
  }

  /**
   * Replaces every parameter; on an error none. Understands the names of
   * `torch.nn.MultiheadAttention` (`in_proj_weight`, `out_proj.weight`, ...), of Hugging Face encoders
   * (`q_proj`/`k_proj`/`v_proj`/`out_proj`, `query`/`key`/`value`) and of D2L (`W_q`, `W_k`, `W_v`,
   * `W_o`). The values are copied.
   *
   * @throws QkvError `"shape"` or `"argument"`: one sentence names every unknown, missing or
   *   misshapen entry
   */
  loadStateDict(dict: StateDict): void {
    const loaded = this.#runtime.runResident("MultiHeadAttention.load", [this.config, dict]);
    const old = this.#parameters;
    this.#parameters = loaded;
    disposeAll(old);
  }

  /** A copy of the parameters by name, which `loadStateDict` takes. */
  stateDict(): Record<string, Tensor> {
    return copyAll(this.#runtime, this.#parameters);
  }

  /**
   * The parameters themselves, in the order of `stateDict()`. They belong to the layer, until it
   * loads others or is disposed.
   */
  parameters(): Tensor[] {
    return Object.values(this.#parameters);
  }

  /** Gives the memory of the parameters back at once. */
  dispose(): void {
    disposeAll(this.#parameters);
  }

  /** The same as `dispose()`, for `using`. */
  [disposeSymbol](): void {
    this.dispose();
  }
}

/** Adds a table of positions to its input, then drops out: dropout(x + P[0 .. L)). */
export class PositionalEncoding {
  /** What the layer was made of. */
  readonly config: Readonly<PositionalEncodingConfig>;
  readonly #runtime: Runtime;
  readonly #training: Training;
  readonly #table: Tensor;

  /** @internal */
  constructor(runtime: Runtime, config: PositionalEncodingConfig) {
    this.config = Object.freeze({ ...config });
    this.#runtime = runtime;
    this.#table = runtime.runResident("PositionalEncoding.create", [config])["table"];
    this.#training = new Training(config.seed);
  }

  /** The table, [maxLength, dim]. It belongs to the layer. */
  get table(): Tensor {
    return this.#table;
  }

  /**
   * Adds a position to each token.
   *
   * @param x [..., L, dim] with L <= maxLength
   * @returns a tensor of the same shape
   * @throws QkvError `"shape"`, `"argument"`, `"memory"` or `"disposed"`
   */
  forward(x: TensorLike, options?: TrainingOptions): Tensor {
    const args = [this.config, this.#table, x, this.#training.seeded(options)];
    const output = this.#runtime.runForTensor("PositionalEncoding.forward", args);
    this.#training.count(options);
    return output;
  }

  /** Gives the memory of the table back at once. */
  dispose(): void {
    this.#table.dispose();
  }

  /** The same as `dispose()`, for `using`. */
  [disposeSymbol](): void {
    this.dispose();
  }
}

function disposeAll(parameters: Readonly<Record<string, Tensor>>): void {
  for (const tensor of Object.values(parameters)) tensor.dispose();
}

function copyAll(
  runtime: Runtime,
  parameters: Readonly<Record<string, Tensor>>,
): Record<string, Tensor> {
  const copies: Record<string, Tensor> = {};
  for (const [name, tensor] of Object.entries(parameters)) {
    copies[name] = runtime.runForTensor("tensor", [tensor]);
  }
  return copies;
}
