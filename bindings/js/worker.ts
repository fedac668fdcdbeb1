/// <reference lib="esnext.disposable" preserve="true" />
import type { Baselines } from "./baselines.js";
import type { Block } from "./block.js";
import type { ContentAttention } from "./content.js";
import { disposeSymbol } from "./dispose-symbol.js";
import type { FewerKeys } from "./fewer-keys.js";
import type { StateDict } from "./layers.js";
import type { LinearAttention } from "./linear-attention.js";
import type { LoadOptions } from "./load.js";
import { locate } from "./locate.js";
import type { Mask } from "./mask.js";
import type { Mechanism, MechanismFacts } from "./mechanisms.js";
import type { Mixers } from "./mixers.js";
import type {
  AttentionOptions,
  AttentionResult,
  MaskSizes,
  MaskStats,
  MultiHeadAttentionConfig,
  MultiHeadForwardOptions,
  PositionalEncodingConfig,
  Returns,
  TrainingOptions,
} from "./options.js";
import type { Picking } from "./picking.js";
import type { Position } from "./position.js";
import type { Backend } from "./qkv.js";
import type { NestedNumbers, Tensor } from "./tensor.js";
import type { TensorLike } from "./tensor-like.js";
import { LOAD, READ, type CoreFacts } from "./wire.js";
import { Connection, WorkerObject } from "./worker-connection.js";

export { QkvError, type QkvErrorCode } from "./errors.js";
export type { StateDict } from "./layers.js";
export type { LoadOptions } from "./load.js";
export type { Mask } from "./mask.js";
export type * from "./options.js";
export type { Backend, Variant } from "./qkv.js";
export type { NestedNumbers, Tensor } from "./tensor.js";
export type { NestedArray, TensorData, TensorLike } from "./tensor-like.js";

/** What the functions in a worker take for a tensor. */
export type WorkerTensorLike = TensorLike | WorkerTensor;

/** A tensor that lives in the worker: sent there once, used many times. */
export class WorkerTensor extends WorkerObject {
  /** Sizes of the axes, the innermost last. */
  readonly shape: readonly number[] = [];

  /** @internal */
  static async create(connection: Connection, x: TensorLike): Promise<WorkerTensor> {
    const tensor = new WorkerTensor(connection);
    const shape = await connection.send("tensor", [x], { keep: tensor });
    return Object.assign(tensor, { shape: Object.freeze(shape) });
  }

  /** A copy of the elements, row-major. */
  async data(): Promise<Float32Array> {
    return (await this.#read()).data;
  }

  /** The elements as nested arrays, one level for each axis. */
  async toArray<Nested extends NestedNumbers = NestedNumbers>(): Promise<Nested> {
    return (await this.#read()).toArray<Nested>();
  }

  /** The same as `dispose()`, for `using`. */
  [disposeSymbol](): void {
    this.dispose();
  }

  #read(): Promise<Tensor> {
    return this.connection.send(READ, [], { on: this }) as Promise<Tensor>;
  }
}

/** A `MultiHeadAttention` that lives in the worker. */
export class WorkerMultiHeadAttention extends WorkerObject {
  /** Settles when the layer has been made; its error is also that of every method. */
  readonly ready: Promise<void>;

  /** @internal */
  constructor(connection: Connection, config: MultiHeadAttentionConfig) {
    super(connection);
    this.ready = made(connection.send("MultiHeadAttention", [config], { keep: this }));
  }

  /** As `MultiHeadAttention.forward`. */
  async forward<const R extends Returns = Record<never, never>>(
    query: WorkerTensorLike,
    key: WorkerTensorLike = query,
    value: WorkerTensorLike = key,
    options?: MultiHeadForwardOptions<R, WorkerTensorLike>,
  ): Promise<AttentionResult<R>> {
    const args = [query, key, value, options];
    return (await this.connection.send("forward", args, { on: this })) as AttentionResult<R>;
  }

  /** As `MultiHeadAttention.loadStateDict`. */
  async loadStateDict(dict: StateDict<WorkerTensorLike>): Promise<void> {
    await this.connection.send("loadStateDict", [dict], { on: this });
  }

  /** As `MultiHeadAttention.stateDict`. */
  async stateDict(): Promise<Record<string, Tensor>> {
    const dict = await this.connection.send("stateDict", [], { on: this });
    return dict as Record<string, Tensor>;
  }

  /** Copies of the parameters, in the order of `stateDict()`. */
  async parameters(): Promise<Tensor[]> {
    return (await this.connection.send("parameters", [], { on: this })) as Tensor[];
  }

  /** The same as `dispose()`, for `using`. */
  [disposeSymbol](): void {
    this.dispose();
  }
}

/** A `PositionalEncoding` that lives in the worker. */
export class WorkerPositionalEncoding extends WorkerObject {
  /** Settles when the layer has been made; its error is also that of every method. */
  readonly ready: Promise<void>;

  /** @internal */
  constructor(connection: Connection, config: PositionalEncodingConfig) {
    super(connection);
    this.ready = made(connection.send("PositionalEncoding", [config], { keep: this }));
  }

  /** As `PositionalEncoding.forward`. */
  async forward(x: WorkerTensorLike, options?: TrainingOptions): Promise<Tensor> {
    return (await this.connection.send("forward", [x, options], { on: this })) as Tensor;
  }

  /** The same as `dispose()`, for `using`. */
  [disposeSymbol](): void {
    this.dispose();
  }
}

/** What a function of the core takes, with tensors of the worker wherever it takes a tensor. */
export type ForWorker<T> = TensorLike extends T
  ? T | WorkerTensor
  : T extends (...args: never) => unknown
    ? T
    : T extends object
      ? { [K in keyof T]: ForWorker<T[K]> }
      : T;

/** The functions of an interface, each giving a promise. */
export type InWorker<Functions> = {
  [Name in keyof Functions]: Functions[Name] extends (...args: infer Args) => infer Result
    ? (...args: { [Place in keyof Args]: ForWorker<Args[Place]> }) => Promise<Result>
    : never;
};

/** `Position` in a worker: each function gives a promise. */
export type WorkerPosition = InWorker<Position>;

/** An entry of the catalogue in a worker: each function gives a promise. */
export type WorkerMechanism = MechanismFacts & InWorker<Pick<Mechanism, "run" | "draw" | "cost" | "pattern">>;

/** The families of functions that have the same names in a worker. */
type Family = Baselines &
  Block &
  ContentAttention &
  FewerKeys &
  LinearAttention &
  Mixers &
  Picking;

/**
 * A core that runs in a worker: the functions of {@link Qkv}, each giving a promise, so that the page
 * never waits. Arguments are copied, and stay the caller's; results are handed over without a copy.
 * Calls are carried out in the order in which they were made. A rejected promise carries the same
 * `QkvError` as the function would throw.
 */
export interface WorkerQkv extends InWorker<Family> {
  /** Version of the package and of the core. */
  readonly version: string;
  readonly backend: Backend;

  /** As `Qkv.attention`. */
  attention<const R extends Returns = Record<never, never>>(
    query: WorkerTensorLike,
    key: WorkerTensorLike,
    value: WorkerTensorLike,
    options?: AttentionOptions<R, WorkerTensorLike>,
  ): Promise<AttentionResult<R>>;

  /** As `Qkv.linear`. */
  linear(x: WorkerTensorLike, weight: WorkerTensorLike, bias?: WorkerTensorLike): Promise<Tensor>;

  /** Sends a tensor to the worker once, to be used many times. */
  tensor(x: TensorLike): Promise<WorkerTensor>;

  /** As `Qkv.maskMatrix`. */
  maskMatrix(mask: Mask, sizes: MaskSizes): Promise<Tensor>;

  /** As `Qkv.maskStats`. */
  maskStats(mask: Mask, sizes: MaskSizes): Promise<MaskStats>;

  /** As `Qkv.mechanisms`. */
  readonly mechanisms: readonly WorkerMechanism[];

  /** Where a token stands. */
  readonly position: WorkerPosition;

  /** Makes a multi-head attention layer in the worker. */
  readonly MultiHeadAttention: new (config: MultiHeadAttentionConfig) => WorkerMultiHeadAttention;

  /** Makes a layer that adds positions in the worker. */
  readonly PositionalEncoding: new (config: PositionalEncodingConfig) => WorkerPositionalEncoding;

  /** The memory of the worker's WebAssembly module, in bytes. */
  memory(): Promise<{ used: number; total: number }>;

  /** Ends the worker. Promises that still wait are rejected. */
  terminate(): void;
}

/**
 * Starts a worker and loads a core there. Each call starts another worker.
 *
 * @throws QkvError `"load"` as `load` does, and when the worker's script cannot be found
 */
export async function loadInWorker(options: LoadOptions = {}): Promise<WorkerQkv> {
  const connection = new Connection();
  try {
    const core = await connection.send(LOAD, [portable(options)]);
    return createWorkerQkv(connection, core as CoreFacts);
  } catch (error) {
    connection.terminate();
    throw error;
  }
}

// A URL cannot be cloned, and the page and its worker may see a relative one differently.
function portable(options: LoadOptions): LoadOptions {
  if (typeof options?.wasm !== "string" && !(options?.wasm instanceof URL)) return options;
  return { ...options, wasm: (locate(options.wasm) as URL).href };
}

function createWorkerQkv(connection: Connection, core: CoreFacts): WorkerQkv {
  // The types are those of WorkerQkv; the worker runs the function of that name.
  const remote =
    <Args extends readonly unknown[], Result>(method: string) =>
    (...args: Args) =>
      connection.send(method, args) as Promise<Result>;
  const all = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, remote(name)]));
  return Object.freeze({
    ...(all(core.functions) as InWorker<Family> & Pick<WorkerQkv, "attention" | "linear">),
    version: core.version,
    backend: Object.freeze(core.backend),
    tensor: (x) => WorkerTensor.create(connection, x),
    maskMatrix: remote("maskMatrix"),
    maskStats: remote("maskStats"),
    mechanisms: Object.freeze(
      core.mechanisms.map(({ functions, ...facts }, place) => ({
        ...facts,
        ...Object.fromEntries(
          functions.map((name) => [name, remote(`mechanisms.${String(place)}.${name}`)]),
        ),
      })) as unknown as WorkerMechanism[],
    ),
    position: Object.freeze({
      sinusoidal: remote("position.sinusoidal"),
      learned: remote("position.learned"),
      rotary: remote("position.rotary"),
      rotation: remote("position.rotation"),
      alibi: remote("position.alibi"),
      alibiSlopes: remote("position.alibiSlopes"),
      relativeBias: remote("position.relativeBias"),
      binary: remote("position.binary"),
    } satisfies WorkerPosition),
    MultiHeadAttention: class extends WorkerMultiHeadAttention {
      constructor(config: MultiHeadAttentionConfig) {
        super(connection, config);
      }
    },
    PositionalEncoding: class extends WorkerPositionalEncoding {
      constructor(config: PositionalEncodingConfig) {
        super(connection, config);
      }
    },
    memory: remote("memory"),
    terminate: () => connection.terminate(),
  } satisfies WorkerQkv);
}

// Not to be reported as unhandled: the methods give the same error.
function made(creation: Promise<unknown>): Promise<void> {
  const ready = creation.then(() => undefined);
  ready.catch(() => undefined);
  return ready;
}
