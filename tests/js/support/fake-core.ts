// A stand-in for the compiled core that only keeps memory and notes down what it is given. It is
// harsher than the real one: every allocation detaches all views of its memory.
import type { Core, Heap } from "../../../bindings/js/core.js";

export interface View {
  readonly tag: "float32" | "float64" | "bool";
  readonly pointer: number;
  readonly length: number;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly values: readonly number[];
}

export type Argument =
  | undefined
  | boolean
  | number
  | string
  | View
  | { readonly unusable: string }
  | { readonly disposed: true }
  | readonly Argument[]
  | { readonly entries: Readonly<Record<string, Argument>> };

/** Tensors by name as [shape, values], numbers by name, or an error. */
export type Outcome =
  | { readonly results: Readonly<Record<string, number | readonly [number[], number[]]>> }
  | { readonly status: number; readonly message: string };

export type Handler = (...args: readonly Argument[]) => Outcome;

const PAGE = 65536;

export class FakeCore implements Core {
  readonly version = "0.0.0";
  readonly backend = "simd128";
  readonly operations: ReadonlyMap<string, number>;
  readonly #memory = new WebAssembly.Memory({ initial: 1, maximum: 65536 });
  heap = views(this.#memory);
  readonly calls: (readonly Argument[])[] = [];
  /** Bytes that `allocate` still gives. */
  budget = Infinity;
  #next = 64;
  #freed = new Map<number, number[]>();
  #sizes = new Map<number, number>();
  #used = 0;
  readonly #handlers: Handler[];
  #stream = 0;

  constructor(handlers: Readonly<Record<string, Handler>>) {
    this.operations = new Map(Object.keys(handlers).map((name, number) => [name, number]));
    this.#handlers = Object.values(handlers);
  }

  used(): number {
    return this.#used;
  }

  allocate(bytes: number): number {
    const size = Math.max(16, Math.ceil(bytes / 16) * 16);
    if (this.#used + size > this.budget) return 0;
    const pointer = this.#freed.get(size)?.pop() ?? this.#extend(size);
    this.#grow(1);
    this.#sizes.set(pointer, size);
    this.#used += size;
    // What was there before is not to be relied on.
    this.heap.bytes.fill(0xff, pointer, pointer + size);
    return pointer;
  }

  release(pointer: number): void {
    const size = this.#sizes.get(pointer);
    if (size === undefined) throw new Error(`${pointer} was not allocated, or released twice`);
    this.#sizes.delete(pointer);
    this.#used -= size;
    this.#freed.set(size, [...(this.#freed.get(size) ?? []), pointer]);
  }

  call(operation: number, argumentStream: number): number {
    const args = this.#read(argumentStream);
    this.calls.push(args);
    const words = this.#encode(this.#handlers[operation](...args));
    // The stream of the last call goes; like the real core's, it does not count as in use.
    this.#stream = this.#extend(words.length * 8);
    this.heap.doubles.set(words, this.#stream / 8);
    return this.#stream;
  }

  #grow(pages: number): void {
    this.#memory.grow(pages);
    this.heap = views(this.#memory);
  }

  #extend(bytes: number): number {
    const pointer = this.#next;
    this.#next += Math.ceil(bytes / 16) * 16;
    const missing = this.#next - this.heap.bytes.length;
    if (missing > 0) this.#grow(Math.ceil(missing / PAGE));
    return pointer;
  }

  #encode(outcome: Outcome): number[] {
    if ("status" in outcome) return [outcome.status, ...text(outcome.message)];
    const words = [0, Object.keys(outcome.results).length];
    for (const [name, result] of Object.entries(outcome.results)) {
      words.push(...text(name));
      if (typeof result === "number") {
        words.push(1, result);
        continue;
      }
      const [shape, values] = result;
      const pointer = this.allocate(values.length * 4);
      this.heap.floats.set(values, pointer / 4);
      words.push(2, pointer, shape.length, ...shape);
    }
    return words;
  }

  #read(stream: number): Argument[] {
    const words = this.heap.doubles;
    let at = stream / 8;
    const take = (): number => words[at++];
    const list = (count: number): number[] => Array.from({ length: count }, take);
    const string = (): string => String.fromCharCode(...list(take()));
    const view = (tag: View["tag"], heap: ArrayLike<number>, bytes: number): View => {
      const pointer = take();
      const length = take();
      const rank = take();
      const shape = list(rank);
      const strides = list(rank);
      if (pointer % bytes !== 0) throw new Error(`${pointer} is not aligned to ${bytes}`);
      const values = Array.from({ length }, (_, index) => heap[pointer / bytes + index]);
      return { tag, pointer, length, shape, strides, values };
    };
    const value = (): Argument => {
      const tag = take();
      switch (tag) {
        case 0:
          return undefined;
        case 1:
          return take() === 1;
        case 2:
          return take();
        case 3:
          return string();
        case 4:
          return Array.from({ length: take() }, value);
        case 5: {
          const entries: Record<string, Argument> = {};
          for (let left = take(); left > 0; --left) entries[string()] = value();
          return { entries };
        }
        case 6:
          return view("float32", this.heap.floats, 4);
        case 7:
          return view("float64", this.heap.doubles, 8);
        case 8:
          return view("bool", this.heap.bytes, 1);
        case 9:
          return { unusable: string() };
        case 10:
          return { disposed: true };
        default:
          throw new Error(`there is no tag ${tag}`);
      }
    };
    return Array.from({ length: take() }, value);
  }
}

function views(memory: WebAssembly.Memory): Heap {
  return {
    memory,
    bytes: new Uint8Array(memory.buffer),
    floats: new Float32Array(memory.buffer),
    doubles: new Float64Array(memory.buffer),
  };
}

function text(value: string): number[] {
  return [value.length, ...Array.from(value, (unit) => unit.charCodeAt(0))];
}
