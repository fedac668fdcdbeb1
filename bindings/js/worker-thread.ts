// The other side of `loadInWorker`: runs in the worker and does what the page asks for.
import { nodeModule } from "./engine.js";
import { messageOf, QkvError } from "./errors.js";
import { load, type LoadOptions } from "./load.js";
import type { MechanismFacts } from "./mechanisms.js";
import type { Qkv } from "./qkv.js";
import { createTensor, Tensor } from "./tensor.js";
import {
  LOAD,
  READ,
  RELEASE,
  packResult,
  unpackArguments,
  type CoreFacts,
  type Reply,
  type Request,
} from "./wire.js";

/** What both kinds of worker have to talk to their page. */
interface Port {
  postMessage(message: Reply, transfer: ArrayBuffer[]): void;
  onmessage: ((event: { data: Request }) => void) | null;
}

interface Disposable {
  dispose(): void;
}

/** A tensor or a layer, or why it could not be made: its methods give the same error again. */
type Kept = { readonly value: object } | { readonly error: unknown };

const kept = new Map<number, Kept>();
let loading: Promise<Qkv> | undefined;

// Only Node's workers have no global `postMessage`.
const port: Port =
  typeof globalThis.postMessage === "function"
    ? (globalThis as unknown as Port)
    : (nodeModule<{ parentPort: Port }>("node:worker_threads") as { parentPort: Port }).parentPort;

port.onmessage = ({ data }) => void answer(data);

async function answer(request: Request): Promise<void> {
  const { id } = request;
  try {
    const { value, transfer } = packResult(await perform(request));
    port.postMessage({ id, value }, transfer);
  } catch (error) {
    const code = error instanceof QkvError ? error.code : undefined;
    port.postMessage({ id, code, message: messageOf(error) }, []);
  }
}

async function perform(request: Request): Promise<unknown> {
  if (request.method === LOAD) {
    loading = load(request.args[0] as LoadOptions);
    return factsOf(await loading);
  }
  if (loading === undefined) throw new QkvError("load", "load: nothing was loaded in the worker");
  const qkv = await loading;
  if (request.method === RELEASE) {
    release(Number(request.on));
    return undefined;
  }
  if (request.keep === undefined) return invoke(qkv, request);
  return keep(qkv, request, request.keep);
}

// What can be cloned, and the names of what cannot.
function factsOf(qkv: Qkv): CoreFacts {
  const { version, backend } = qkv;
  const functionsOf = (object: object) =>
    Object.entries(object).flatMap(([name, value]) => (typeof value === "function" ? [name] : []));
  const mechanisms = qkv.mechanisms.map((mechanism) => {
    const functions = functionsOf(mechanism);
    const facts = Object.entries(mechanism).filter(([name]) => !functions.includes(name));
    return { ...(Object.fromEntries(facts) as unknown as MechanismFacts), functions };
  });
  return { version, backend, functions: functionsOf(qkv), mechanisms };
}

// The page is told the shape of a tensor that it does not get.
function keep(qkv: Qkv, request: Request, number: number): unknown {
  try {
    const value = invoke(qkv, request) as object;
    kept.set(number, { value });
    return value instanceof Tensor ? [...value.shape] : undefined;
  } catch (error) {
    kept.set(number, { error });
    throw error;
  }
}

function invoke(qkv: Qkv, { method, on, args }: Request): unknown {
  const values = args.map((value) => unpackArguments(value, find));
  if (on !== undefined) {
    const object = find(on);
    if (!kept.has(on)) throw new QkvError("disposed", "this object of the worker was disposed");
    return method === READ ? object : call(object, method, values);
  }
  if (method === "MultiHeadAttention" || method === "PositionalEncoding") {
    const Layer = qkv[method] as new (config: unknown) => object;
    return new Layer(values[0]);
  }
  return call(qkv, method, values);
}

/** Calls `target.a.b(...)` for the method "a.b". */
function call(target: object, method: string, args: readonly unknown[]): unknown {
  const names = method.split(".");
  const last = names.pop() as string;
  const owner = names.reduce((object, name) => (object as Record<string, object>)[name], target);
  return (owner as Record<string, (...args: readonly unknown[]) => unknown>)[last](...args);
}

function find(number: number): object {
  const entry = kept.get(number);
  if (entry === undefined) return createTensor([], null);
  if ("error" in entry) throw entry.error;
  return entry.value;
}

function release(number: number): void {
  const entry = kept.get(number);
  kept.delete(number);
  if (entry !== undefined && "value" in entry) (entry.value as Disposable).dispose();
}
