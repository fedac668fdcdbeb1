// Emscripten's JavaScript around the compiled core. The build puts the real file in this place
// (bindings/build.mjs); one serves both binaries.
import type { Core } from "./core.js";

/** What the glue is told before it starts. */
export interface GlueSettings {
  /** Takes the imports, instantiates a module with them and hands the instance over. */
  instantiateWasm(
    imports: WebAssembly.Imports,
    receive: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
  ): object;
}

export default function createCore(settings: GlueSettings): Promise<Core>;
