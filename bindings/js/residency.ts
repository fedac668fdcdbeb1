// Tensors that live in WebAssembly's memory.
//
// The engine does not see that memory, so it feels no need to collect forgotten tensors, and within
// one synchronous loop it never tells about any. Two things keep memory bounded all the same. Tensors
// that were collected are released when the engine tells. And only so many stay resident: beyond that
// the least recently used are moved back to JavaScript's memory, which the engine does see. One that
// is used after all is uploaded again, and the bound rises by as much, so that a program whose
// weights need more room soon has it, while garbage, which is never used again, does not raise it.
import { outOfMemory, tryAllocate, type Core } from "./core.js";
import type { Tensor } from "./tensor.js";

const FIRST_MAX_COUNT = 256;
const FIRST_MAX_BYTES = 32 * 2 ** 20;
// The most recently used stay whatever their size.
const ALWAYS_RESIDENT = 8;

/** The elements of one tensor. Either in WebAssembly's memory or, moved out, in `host`. */
export class Resident {
  host: Float32Array | null = null;
  /** The last call that used it. */
  usedBy = 0;
  // Neighbours in the order of use, while resident.
  newer: Resident | null = null;
  older: Resident | null = null;

  constructor(
    readonly home: Residency,
    public pointer: number,
    readonly elements: number,
  ) {}
}

/** All resident tensors of one core. */
export class Residency {
  readonly #core: Core;
  readonly #registry: FinalizationRegistry<Resident>;
  #newest: Resident | null = null;
  #oldest: Resident | null = null;
  #count = 0;
  #bytes = 0;
  #maxCount = FIRST_MAX_COUNT;
  #maxBytes = FIRST_MAX_BYTES;
  #call = 0;

  constructor(core: Core) {
    this.#core = core;
    this.#registry = new FinalizationRegistry((resident) => this.#leave(resident));
  }

  /** Takes over memory that the core allocated. */
  adopt(pointer: number, elements: number): Resident {
    const resident = new Resident(this, pointer, elements);
    this.#enter(resident);
    return resident;
  }

  /** Releases `resident` when `tensor`, its only user, has been collected. */
  watch(tensor: Tensor, resident: Resident): void {
    this.#registry.register(tensor, resident, resident);
  }

  /** A new call begins: what it uses from now on stays where it is until `settle`. */
  begin(): void {
    ++this.#call;
  }

  /** Where the elements are, uploaded again if they had been moved out. */
  use(resident: Resident): number {
    resident.usedBy = this.#call;
    if (resident.host !== null) this.#moveIn(resident, resident.host);
    else if (resident !== this.#newest) {
      this.#unlink(resident);
      this.#link(resident);
    }
    return resident.pointer;
  }

  /** A copy of the elements. */
  read(resident: Resident): Float32Array<ArrayBuffer> {
    if (resident.host !== null) return resident.host.slice();
    const start = resident.pointer / 4;
    return this.#core.heap.floats.slice(start, start + resident.elements);
  }

  release(resident: Resident): void {
    this.#registry.unregister(resident);
    this.#leave(resident);
  }

  /** Between calls: moves out what is above the bound. */
  settle(): void {
    while (
      this.#count > this.#maxCount ||
      (this.#bytes > this.#maxBytes && this.#count > ALWAYS_RESIDENT)
    ) {
      this.#moveOut(this.#oldest as Resident);
    }
  }

  /** Memory for `bytes`; when there is none left, what the current call does not use is moved out. */
  allocate(bytes: number): number {
    let pointer = tryAllocate(this.#core, bytes);
    if (pointer === 0) {
      for (let next = this.#oldest; next !== null;) {
        const resident = next;
        next = resident.newer;
        if (resident.usedBy !== this.#call) this.#moveOut(resident);
      }
      pointer = tryAllocate(this.#core, bytes);
    }
    if (pointer === 0) throw outOfMemory(this.#core, bytes);
    return pointer;
  }

  #moveIn(resident: Resident, host: Float32Array): void {
    resident.pointer = this.allocate(Math.max(host.byteLength, 1));
    this.#core.heap.floats.set(host, resident.pointer / 4);
    resident.host = null;
    this.#enter(resident);
    this.#maxCount += 1;
    this.#maxBytes += host.byteLength;
  }

  #moveOut(resident: Resident): void {
    resident.host = this.read(resident);
    this.#exit(resident);
  }

  #leave(resident: Resident): void {
    if (resident.host === null) this.#exit(resident);
    resident.host = null;
  }

  #enter(resident: Resident): void {
    this.#count += 1;
    this.#bytes += resident.elements * 4;
    this.#link(resident);
  }

  #exit(resident: Resident): void {
    this.#count -= 1;
    this.#bytes -= resident.elements * 4;
    this.#unlink(resident);
    this.#core.release(resident.pointer);
    resident.pointer = 0;
  }

  #link(resident: Resident): void {
    resident.older = this.#newest;
    if (this.#newest !== null) this.#newest.newer = resident;
    else this.#oldest = resident;
    this.#newest = resident;
  }

  #unlink(resident: Resident): void {
    if (resident.newer !== null) resident.newer.older = resident.older;
    else this.#newest = resident.older;
    if (resident.older !== null) resident.older.newer = resident.newer;
    else this.#oldest = resident.newer;
    resident.newer = null;
    resident.older = null;
  }
}
