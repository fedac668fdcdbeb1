import type { Core } from "./core.js";
import { ArgumentStream } from "./encode.js";
import { QkvError } from "./errors.js";
import { Residency } from "./residency.js";
import { ResultStream, type Results } from "./results.js";
import type { Tensor } from "./tensor.js";

/** Runs operations of one core by name: arguments in, results out, nothing left behind. */
export class Runtime {
  readonly core: Core;
  readonly #residency: Residency;
  readonly #results: ResultStream;
  // The stream is in use while an argument is being read, and an argument may be an object whose
  // getter makes a call of its own. That one takes a fresh stream.
  #idle: ArgumentStream | undefined;
  #depth = 0;

  constructor(core: Core) {
    this.core = core;
    this.#residency = new Residency(core);
    this.#results = new ResultStream(core, this.#residency);
    this.#idle = new ArgumentStream(core, this.#residency);
  }

  /** Runs an operation. `out` is where the result called "output" is put instead of a new array. */
  run(operation: string, args: readonly unknown[], out?: Float32Array): Results {
    return this.#run(operation, args, false, out);
  }

  /** The same for an operation whose only result is a tensor called "output". */
  runForTensor(operation: string, args: readonly unknown[]): Tensor {
    return this.#run(operation, args, false, undefined)["output"] as Tensor;
  }

  /** The same, with results that stay in WebAssembly's memory. */
  runResident(operation: string, args: readonly unknown[]): Record<string, Tensor> {
    return this.#run(operation, args, true, undefined) as Record<string, Tensor>;
  }

  #run(
    operation: string,
    args: readonly unknown[],
    resident: boolean,
    out: Float32Array | undefined,
  ): Results {
    const index = this.#number(operation);
    const stream = this.#idle ?? new ArgumentStream(this.core, this.#residency);
    this.#idle = undefined;
    if (this.#depth++ === 0) this.#residency.begin();
    try {
      const pointer = stream.write(args);
      return this.#results.read(this.core.call(index, pointer) >>> 0, resident, out);
    } finally {
      stream.clear();
      if (this.#idle === undefined) this.#idle = stream;
      else stream.dispose();
      if (--this.#depth === 0) this.#residency.settle();
    }
  }

  #number(operation: string): number {
    const number = this.core.operations.get(operation);
    if (number !== undefined) return number;
    throw new QkvError("load", `the loaded module has no operation "${operation}"`);
  }
}
