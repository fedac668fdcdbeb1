// Emscripten's JavaScript around the compiled core. The build puts the real file in this place
// (bindings/build.mjs); one serves all binaries.

/** What the glue is told before it starts. */
export interface GlueSettings {
  wasmMemory: WebAssembly.Memory;
  /** Takes the imports, instantiates a module with them and hands the instance over. */
  instantiateWasm(
    imports: WebAssembly.Imports,
    receive: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
  ): object;
}

/** What the core registers with Embind (bindings/embind.cpp and, with threads, threads.cpp). */
export interface Doors {
  readonly HEAPU8: Uint8Array;
  readonly HEAPF32: Float32Array;
  readonly HEAPF64: Float64Array;
  describe(): number;
  call(operation: number, argumentStream: number): number;
  allocate(bytes: number): number;
  release(pointer: number): void;
  used(): number;
  enlist?(): void;
  sleep?(allowed: number): void;
  threads?(): number;
}

export default function start(settings: GlueSettings): Promise<Doors>;
