// Turns JavaScript values into the argument stream of the core: a list of Float64 words in
// WebAssembly's memory. Nothing here knows an operation or an option by name, and nothing is checked:
// what cannot be written down is described in words, and the core makes the error sentence of it.
import type { Core } from "./core.js";
import { nestedShape, raggedness, fill, type Row } from "./nested.js";
import type { Residency } from "./residency.js";
import { place, seen, Unusable } from "./seen.js";
import { storageOf, Tensor } from "./tensor.js";

const ABSENT = 0;
const BOOLEAN = 1;
const NUMBER = 2;
const STRING = 3;
const ARRAY = 4;
const OBJECT = 5;
const FLOAT32 = 6;
const FLOAT64 = 7;
const BOOL = 8;
const UNUSABLE = 9;
const DISPOSED = 10;

// Small calls find all their memory here, and allocate nothing.
const ARENA_BYTES = 1 << 16;
const ALIGNMENT = 16;
const FIRST_WORDS = 512;
// Of objects and arrays in one another; a cycle would have no end.
const MAX_DEPTH = 256;

type NumericArray = Exclude<ArrayBufferView, DataView | BigInt64Array | BigUint64Array> &
  ArrayLike<number>;

/** The argument stream of one call after another. */
export class ArgumentStream {
  readonly #core: Core;
  readonly #residency: Residency;
  readonly #arena: number;
  #arenaUsed = 0;
  // Memory that was allocated for the current call.
  readonly #scratch: number[] = [];
  // Arrays that the current call has copied already, and where to: self-attention gives one thrice.
  readonly #sources: object[] = [];
  readonly #copies: number[] = [];
  // Written here first, since an allocation in between may detach a view of WebAssembly's memory.
  #words = new Float64Array(FIRST_WORDS);
  #count = 0;
  #depth = 0;

  constructor(core: Core, residency: Residency) {
    this.#core = core;
    this.#residency = residency;
    this.#arena = residency.allocate(ARENA_BYTES);
  }

  /** Writes all arguments and returns where the stream is. Call `clear` afterwards, come what may. */
  write(args: readonly unknown[]): number {
    this.#push(args.length);
    for (let index = 0; index < args.length; ++index) this.#value(args[index]);
    const pointer = this.#take(this.#count * 8);
    const start = pointer / 8;
    const target = this.#core.heap.doubles;
    const words = this.#words;
    for (let index = 0; index < this.#count; ++index) target[start + index] = words[index];
    return pointer;
  }

  /** Releases what the call needed. */
  clear(): void {
    if (this.#scratch.length > 0) {
      for (const pointer of this.#scratch) this.#core.release(pointer);
      this.#scratch.length = 0;
    }
    if (this.#sources.length > 0) {
      this.#sources.length = 0;
      this.#copies.length = 0;
    }
    this.#arenaUsed = 0;
    this.#count = 0;
    this.#depth = 0;
  }

  /** Gives the arena back; the stream is of no use afterwards. */
  dispose(): void {
    this.#core.release(this.#arena);
  }

  #value(value: unknown): void {
    switch (typeof value) {
      case "undefined":
        this.#push(ABSENT);
        break;
      case "boolean":
        this.#push(BOOLEAN);
        this.#push(value ? 1 : 0);
        break;
      case "number":
        this.#push(NUMBER);
        this.#push(value);
        break;
      case "string":
        this.#push(STRING);
        this.#text(value);
        break;
      case "object":
        if (value === null) this.#push(ABSENT);
        else if (this.#depth === MAX_DEPTH) this.#unusable("something nested without end");
        else {
          ++this.#depth;
          this.#object(value);
          --this.#depth;
        }
        break;
      default:
        this.#unusable(seen(value));
    }
  }

  #object(value: object): void {
    if (value instanceof Tensor) this.#tensor(value);
    else if (Array.isArray(value)) this.#array(value);
    else if (isNumericArray(value)) this.#described(value, [value.length], undefined);
    else if (value instanceof Unusable) this.#unusable(value.what);
    else if (!isRecord(value)) this.#unusable(seen(value));
    else if ("data" in value) this.#described(value["data"], value["shape"], value["strides"]);
    else this.#entries(value);
  }

  #tensor(tensor: Tensor): void {
    const storage = storageOf(tensor);
    if (storage === null) {
      this.#push(DISPOSED);
    } else if (storage instanceof Float32Array) {
      this.#view(FLOAT32, this.#copyFloat32(storage), storage.length, tensor.shape, undefined);
    } else if (storage.home === this.#residency) {
      const pointer = this.#residency.use(storage);
      this.#view(FLOAT32, pointer, storage.elements, tensor.shape, undefined);
    } else {
      // Of another core, whose memory this one does not see.
      const copy = this.#copyFloat32(storage.home.read(storage));
      this.#view(FLOAT32, copy, storage.elements, tensor.shape, undefined);
    }
  }

  #array(array: Row): void {
    const { shape, leaf } = nestedShape(array);
    if (shape === undefined) this.#unusable("an array nested without end");
    else if (typeof leaf === "number") this.#nested(array, shape, FLOAT64);
    else if (typeof leaf === "boolean") this.#nested(array, shape, BOOL);
    else if (typeof leaf === "string" || (typeof leaf === "object" && leaf !== null)) {
      this.#push(ARRAY);
      this.#push(array.length);
      for (let index = 0; index < array.length; ++index) this.#value(array[index]);
    } else this.#unusable(`${seen(leaf)} at ${place(shape.map(() => 0))}`);
  }

  #nested(array: Row, shape: readonly number[], tag: typeof FLOAT64 | typeof BOOL): void {
    const problem = raggedness(array, shape);
    if (problem !== undefined) {
      this.#unusable(problem);
      return;
    }
    const length = shape.reduce((product, size) => product * size, 1);
    const known = this.#sources.indexOf(array);
    let pointer = known < 0 ? 0 : this.#copies[known];
    if (known < 0) {
      pointer = this.#take(tag === BOOL ? length : length * 8);
      const problem = fill(
        array,
        shape,
        tag === BOOL ? "boolean" : "number",
        tag === BOOL ? this.#core.heap.bytes : this.#core.heap.doubles,
        tag === BOOL ? pointer : pointer / 8,
      );
      if (problem !== undefined) {
        this.#unusable(problem);
        return;
      }
      this.#remember(array, pointer);
    }
    this.#view(tag, pointer, length, shape, undefined);
  }

  // { data, shape, strides }. Whether they fit together is for the core to say, which is told how
  // many elements there are.
  #described(data: unknown, shape: unknown, strides: unknown): void {
    const problem = listProblem("shape", shape) ?? stridesProblem(shape, strides);
    if (problem !== undefined) {
      this.#unusable(problem);
      return;
    }
    const sizes = shape as ArrayLike<number>;
    const steps = (strides ?? undefined) as ArrayLike<number> | undefined;
    if (data instanceof Float32Array) {
      this.#view(FLOAT32, this.#copyFloat32(data), data.length, sizes, steps);
    } else if (typeof data === "object" && data !== null && isNumericArray(data)) {
      this.#view(FLOAT64, this.#copyFloat64(data), data.length, sizes, steps);
    } else if (Array.isArray(data)) {
      this.#flat(data, sizes, steps);
    } else {
      this.#unusable(`${seen(data)} as data`);
    }
  }

  #flat(data: Row, shape: ArrayLike<number>, strides: ArrayLike<number> | undefined): void {
    const type = typeof data[0] === "boolean" ? "boolean" : "number";
    const bool = type === "boolean";
    const pointer = this.#take(bool ? data.length : data.length * 8);
    const target = bool ? this.#core.heap.bytes : this.#core.heap.doubles;
    const problem = fill(data, [data.length], type, target, bool ? pointer : pointer / 8);
    if (problem !== undefined) this.#unusable(`${problem} of data`);
    else this.#view(bool ? BOOL : FLOAT64, pointer, data.length, shape, strides);
  }

  #entries(record: Readonly<Record<string, unknown>>): void {
    this.#push(OBJECT);
    const counter = this.#count;
    this.#push(0);
    let count = 0;
    for (const key of Object.keys(record)) {
      const value = record[key];
      if (value === undefined) continue;
      this.#text(key);
      this.#value(value);
      ++count;
    }
    this.#words[counter] = count;
  }

  #view(
    tag: typeof FLOAT32 | typeof FLOAT64 | typeof BOOL,
    pointer: number,
    length: number,
    shape: ArrayLike<number>,
    strides: ArrayLike<number> | undefined,
  ): void {
    const rank = shape.length;
    this.#push(tag);
    // A tensor without elements may have no memory, but it is not a null pointer.
    this.#push(pointer === 0 ? this.#arena : pointer);
    this.#push(length);
    this.#push(rank);
    for (let axis = 0; axis < rank; ++axis) this.#push(shape[axis]);
    if (strides !== undefined) {
      for (let axis = 0; axis < rank; ++axis) this.#push(strides[axis]);
      return;
    }
    const end = this.#count + rank;
    for (let axis = 0; axis < rank; ++axis) this.#push(0);
    let step = 1;
    for (let axis = rank - 1; axis >= 0; --axis) {
      this.#words[end - rank + axis] = step;
      step *= shape[axis];
    }
  }

  #unusable(what: string): void {
    this.#push(UNUSABLE);
    this.#text(what);
  }

  #text(text: string): void {
    this.#push(text.length);
    for (let index = 0; index < text.length; ++index) this.#push(text.charCodeAt(index));
  }

  #push(word: number): void {
    if (this.#count === this.#words.length) {
      const words = new Float64Array(this.#count * 2);
      words.set(this.#words);
      this.#words = words;
    }
    this.#words[this.#count++] = word;
  }

  #copyFloat32(source: Float32Array): number {
    const known = this.#sources.indexOf(source);
    if (known >= 0) return this.#copies[known];
    const pointer = this.#take(source.length * 4);
    this.#core.heap.floats.set(source, pointer / 4);
    this.#remember(source, pointer);
    return pointer;
  }

  #copyFloat64(source: NumericArray): number {
    const known = this.#sources.indexOf(source);
    if (known >= 0) return this.#copies[known];
    const pointer = this.#take(source.length * 8);
    this.#core.heap.doubles.set(source, pointer / 8);
    this.#remember(source, pointer);
    return pointer;
  }

  #remember(source: object, pointer: number): void {
    this.#sources.push(source);
    this.#copies.push(pointer);
  }

  #take(bytes: number): number {
    const rounded = Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
    if (rounded <= ARENA_BYTES - this.#arenaUsed) {
      const pointer = this.#arena + this.#arenaUsed;
      this.#arenaUsed += rounded;
      return pointer;
    }
    const pointer = this.#residency.allocate(bytes);
    this.#scratch.push(pointer);
    return pointer;
  }
}

function isNumericArray(value: object): value is NumericArray {
  return (
    ArrayBuffer.isView(value) &&
    !(value instanceof DataView) &&
    !(value instanceof BigInt64Array) &&
    !(value instanceof BigUint64Array)
  );
}

// A plain object, also one of another window.
function isRecord(value: object): value is Readonly<Record<string, unknown>> {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return true;
  return Object.getPrototypeOf(prototype) === null && !ArrayBuffer.isView(value);
}

function listProblem(name: string, list: unknown): string | undefined {
  if (list === undefined || list === null) return `data without a ${name}`;
  if (!Array.isArray(list) && !(typeof list === "object" && isNumericArray(list))) {
    return `data with ${seen(list)} as ${name}`;
  }
  const index = Array.prototype.findIndex.call(list, (entry: unknown) => typeof entry !== "number");
  return index < 0 ? undefined : `data whose ${name} has ${seen(list[index])} at [${index}]`;
}

function stridesProblem(shape: unknown, strides: unknown): string | undefined {
  if (strides === undefined || strides === null) return undefined;
  const problem = listProblem("strides", strides);
  if (problem !== undefined) return problem;
  const { length } = strides as ArrayLike<number>;
  const rank = (shape as ArrayLike<number>).length;
  return length === rank ? undefined : `data with strides of ${length} axes and a shape of ${rank}`;
}
