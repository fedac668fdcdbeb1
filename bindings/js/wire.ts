// What goes between a page and its worker. Structured cloning carries arrays and plain objects;
// tensors are taken apart on one side and put together on the other.
import type { QkvErrorCode } from "./errors.js";
import { QkvError } from "./errors.js";
import type { MechanismFacts } from "./mechanisms.js";
import { nestedShape } from "./nested.js";
import type { Backend } from "./qkv.js";
import { createTensor, storageOf, Tensor } from "./tensor.js";

/** Asks the worker for something. */
export interface Request {
  /** Of the reply. */
  readonly id: number;
  /** A function of the loaded core such as `position.rotary`, or a method of what `on` names. */
  readonly method: string;
  readonly args: readonly unknown[];
  /** Number of an object that the worker keeps. */
  readonly on?: number;
  /** The result is not sent back but kept in the worker under this number. */
  readonly keep?: number;
}

/** The worker's answer. */
export type Reply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly code: QkvErrorCode | undefined; readonly message: string };

/** What a worker tells of the core that it has loaded. */
export interface CoreFacts {
  readonly version: string;
  readonly backend: Backend;
  /** Names of the core's functions. */
  readonly functions: readonly string[];
  /** The catalogue, with the names of each entry's functions. */
  readonly mechanisms: readonly (MechanismFacts & { readonly functions: readonly string[] })[];
}

/** Methods of `Request` beside those of the core. */
export const LOAD = "load";
export const RELEASE = "release";
export const READ = "read";

const TENSOR = "qkv:tensor";
const KEPT = "qkv:kept";
const MAX_DEPTH = 256;

type Fields = Record<string, unknown>;

/** A tensor on the way. */
interface WireTensor {
  readonly [TENSOR]: readonly number[];
  /** Null for one that was disposed. */
  readonly data: Float32Array | null;
}

/** Makes arguments fit for cloning. `keptNumber` knows the tensors that live in the worker. */
export function packArguments(
  args: readonly unknown[],
  keptNumber: (value: object) => number | undefined,
): unknown[] {
  // The same array stays the same array, and is copied once.
  const packed = new Map<object, unknown>();
  const pack = (value: unknown, depth: number): unknown => {
    if (typeof value !== "object" || value === null) return value;
    if (depth > MAX_DEPTH) throw new QkvError("argument", "an argument is nested without end");
    const known = packed.get(value);
    if (known !== undefined) return known;
    const result = packObject(value, depth);
    packed.set(value, result);
    return result;
  };
  const packObject = (value: object, depth: number): unknown => {
    if (value instanceof Tensor) return packTensor(value);
    const number = keptNumber(value);
    if (number !== undefined) return { [KEPT]: number };
    // Cloning a view would clone all of the buffer behind it.
    if (value instanceof Float32Array) {
      return value.byteLength < value.buffer.byteLength ? value.slice() : value;
    }
    if (Array.isArray(value)) {
      return holdsObjects(value) ? value.map((entry) => pack(entry, depth + 1)) : value;
    }
    if (!isPlain(value)) return value;
    const copy: Fields = {};
    for (const [name, entry] of Object.entries(value)) copy[name] = pack(entry, depth + 1);
    return copy;
  };
  return args.map((value) => pack(value, 0));
}

/** Undoes `packArguments`, in place. */
export function unpackArguments(value: unknown, keptObject: (number: number) => unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    if (!holdsObjects(value)) return value;
    for (let index = 0; index < value.length; ++index) {
      value[index] = unpackArguments(value[index], keptObject);
    }
    return value;
  }
  if (!isPlain(value)) return value;
  if (isWireTensor(value)) return createTensor([...value[TENSOR]], value.data);
  const fields = value as Fields;
  if (KEPT in fields) return keptObject(Number(fields[KEPT]));
  for (const [name, entry] of Object.entries(fields)) {
    fields[name] = unpackArguments(entry, keptObject);
  }
  return value;
}

/** Makes a result fit for the way back: tensors give their memory away, or a copy of it. */
export function packResult(value: unknown): { value: unknown; transfer: ArrayBuffer[] } {
  const transfer: ArrayBuffer[] = [];
  const pack = (entry: unknown): unknown => {
    if (entry instanceof Tensor) {
      const packed = packTensor(entry);
      if (packed.data?.buffer instanceof ArrayBuffer) transfer.push(packed.data.buffer);
      return packed;
    }
    if (Array.isArray(entry)) return holdsObjects(entry) ? entry.map(pack) : entry;
    if (typeof entry !== "object" || entry === null || !isPlain(entry)) return entry;
    return Object.fromEntries(Object.entries(entry).map(([name, field]) => [name, pack(field)]));
  };
  return { value: pack(value), transfer };
}

/** Undoes `packResult`. The output is put into `out` if there is one. */
export function unpackResult(value: unknown, out?: Float32Array): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((entry) => unpackResult(entry));
  if (isWireTensor(value)) {
    if (out === undefined || value.data === null)
      return createTensor([...value[TENSOR]], value.data);
    out.set(value.data);
    return createTensor([...value[TENSOR]], out);
  }
  if (!isPlain(value)) return value;
  const fields = value as Fields;
  for (const [name, entry] of Object.entries(fields)) {
    fields[name] = unpackResult(entry, name === "output" ? out : undefined);
  }
  return fields;
}

function packTensor(tensor: Tensor): WireTensor {
  const storage = storageOf(tensor);
  const data =
    storage === null || storage instanceof Float32Array ? storage : storage.home.read(storage);
  return { [TENSOR]: tensor.shape, data };
}

function isWireTensor(value: object): value is WireTensor {
  return TENSOR in value;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function holdsObjects(array: readonly unknown[]): boolean {
  const { leaf } = nestedShape(array);
  return typeof leaf === "object" && leaf !== null;
}
