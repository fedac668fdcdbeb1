// What the engine and the surroundings can do, asked without running anything.
import type { Variant } from "./qkv.js";

/** The part of Node's `process` that is used; other systems may have it too. */
export interface NodeProcess {
  getBuiltinModule?: (name: string) => unknown;
  cwd?: () => string;
}

export function nodeProcess(): NodeProcess | undefined {
  return (globalThis as { process?: NodeProcess }).process;
}

/**
 * A module of Node's own, or undefined outside Node. Asking for it in this way, and not by an import,
 * leaves bundlers nothing to stumble over.
 */
export function nodeModule<Module>(name: string): Module | undefined {
  return nodeProcess()?.getBuiltinModule?.(name) as Module | undefined;
}

// The smallest module that multiplies and adds in one relaxed SIMD instruction:
//   (func (param v128 v128 v128) (result v128)
//     local.get 0  local.get 1  local.get 2  f32x4.relaxed_madd)
const V128 = 0x7b;
const RELAXED_MADD = [0xfd, 0x85, 0x02];
// The same with an instruction of the first SIMD proposal: f32x4.add  drop.
const ADD = [0xfd, 0xe4, 0x01, 0x1a];

function probe(instructions: readonly number[]): Uint8Array<ArrayBuffer> {
  const header = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
  const types = [0x01, 0x08, 0x01, 0x60, 0x03, V128, V128, V128, 0x01, V128];
  const functions = [0x03, 0x02, 0x01, 0x00];
  const body = [0x00, 0x20, 0x00, 0x20, 0x01, 0x20, 0x02, ...instructions, 0x0b];
  const code = [0x0a, body.length + 2, 0x01, body.length, ...body];
  return new Uint8Array([...header, ...types, ...functions, ...code]);
}

/** Whether this engine accepts the instructions of a variant. */
export function accepts(variant: Variant): boolean {
  return WebAssembly.validate(probe(variant === "relaxed" ? RELAXED_MADD : ADD));
}
