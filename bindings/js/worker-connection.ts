// Requests to a worker, the promises that wait for its replies, and the objects that it keeps.
import { messageOf, QkvError } from "./errors.js";
import { startWorker, type Script, type WorkerPort } from "./worker-port.js";
import { packArguments, RELEASE, unpackResult, type Reply, type Request } from "./wire.js";

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
  readonly out: Float32Array | undefined;
}

/**
 * Where a request goes, beside the core's own functions.
 * @internal
 */
export interface Target {
  /** A method of this object in the worker. */
  readonly on?: WorkerObject;
  /** The result stays in the worker, as this object. */
  readonly keep?: WorkerObject;
}

const SCRIPT: Script = {
  web: () => new Worker(new URL("./worker-thread.js", import.meta.url), { type: "module" }),
  name: "worker-thread",
};

/** @internal */
export class Connection {
  readonly #port: WorkerPort<Request>;
  readonly #waiting = new Map<number, Waiting>();
  readonly #forgotten = new FinalizationRegistry<number>((number) => this.release(number));
  #nextId = 0;
  #nextNumber = 0;
  #closed: QkvError | undefined;

  constructor() {
    try {
      this.#port = startWorker<Request, Reply>(
        SCRIPT,
        (reply) => this.#receive(reply),
        (reason) => this.#close(notRunning(reason)),
      );
    } catch (error) {
      throw new QkvError("load", `load: no worker can be made: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }

  /** Calls a function in the worker. Arguments are copied at once; the result is handed over. */
  send(method: string, args: readonly unknown[], target: Target = {}): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#closed !== undefined) throw this.#closed;
      const id = this.#nextId++;
      this.#post({
        id,
        method,
        args: packArguments(args, (value) => this.#numberOf(value)),
        ...(target.on && { on: numberOf(target.on) }),
        ...(target.keep && { keep: numberOf(target.keep) }),
      });
      if (this.#waiting.size === 0) this.#port.hold(true);
      this.#waiting.set(id, { resolve, reject, out: outOf(args) });
    });
  }

  /** A number for an object that the worker will keep, until `object` is collected. */
  enroll(object: WorkerObject): number {
    const number = this.#nextNumber++;
    this.#forgotten.register(object, number, object);
    return number;
  }

  /** The worker need not keep an object any longer. */
  discard(object: WorkerObject): void {
    this.#forgotten.unregister(object);
    this.release(numberOf(object));
  }

  release(number: number): void {
    if (this.#closed === undefined) this.#post({ id: -1, method: RELEASE, args: [], on: number });
  }

  terminate(): void {
    this.#close(new QkvError("load", "the worker was terminated"));
    this.#port.terminate();
  }

  #numberOf(value: object): number | undefined {
    if (!(value instanceof WorkerObject)) return undefined;
    if (value.connection === this) return numberOf(value);
    throw new QkvError("argument", "a tensor of one worker cannot be used in another");
  }

  #post(request: Request): void {
    try {
      this.#port.post(request);
    } catch (error) {
      throw new QkvError("argument", `an argument cannot go to the worker: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }

  #receive(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id);
    if (waiting === undefined) return;
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0) this.#port.hold(false);
    if ("value" in reply) waiting.resolve(unpackResult(reply.value, waiting.out));
    else waiting.reject(asError(reply.code, reply.message));
  }

  #close(error: QkvError): void {
    if (this.#closed !== undefined) return;
    this.#closed = error;
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}

/** Something that lives in the worker: a tensor or a layer. */
export abstract class WorkerObject {
  /** @internal */
  readonly connection: Connection;
  /** @internal */
  readonly number: number;

  /** @internal */
  constructor(connection: Connection) {
    this.connection = connection;
    this.number = connection.enroll(this);
  }

  /** Gives the memory in the worker back. Using the object afterwards is an error. */
  dispose(): void {
    this.connection.discard(this);
  }
}

/** @internal */
export function numberOf(object: WorkerObject): number {
  return object.number;
}

function notRunning(reason: string): QkvError {
  const advice = "check that the server serves worker-thread.js";
  return new QkvError("load", `load: the worker does not run${reason}; ${advice}`);
}

function asError(code: QkvError["code"] | undefined, message: string): Error {
  return code === undefined ? new Error(message) : new QkvError(code, message);
}

// The `out` option of attention: the last argument of the functions that know it.
function outOf(args: readonly unknown[]): Float32Array | undefined {
  const options = args.at(-1);
  if (typeof options !== "object" || options === null || !("out" in options)) return undefined;
  return options.out instanceof Float32Array ? options.out : undefined;
}
