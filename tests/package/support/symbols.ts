// What object files and libraries define, as `nm` tells.
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { run } from "./processes.js";

export interface Symbol {
  /** As the linker knows it. */
  readonly mangled: string;
  /** As a person reads it. */
  readonly name: string;
  /** nm's letter: "W" and "V" are weak, "u" unique, "i" indirect, other small letters local. */
  readonly type: string;
}

export async function symbolsOf(file: string, args: readonly string[] = []): Promise<Symbol[]> {
  const read = async (...more: string[]) => {
    const options = ["--defined-only", "--no-sort", "--format=bsd", ...args, ...more];
    const lines = (await run("nm", [...options, file])).split("\n");
    return lines.filter((line) => /^[0-9a-f]+ /.test(line)).map((line) => line.slice(17));
  };
  const mangled = await read();
  const demangled = await read("--demangle");
  return mangled.map((line, index) => ({
    mangled: line.slice(2),
    name: demangled[index]?.slice(2) ?? "",
    type: line.slice(0, 1),
  }));
}

/** A kernel of one instruction set, which is the first thing it is a template over. */
export const KERNEL = /^qkv::kernels::(?:Elements|Layouts|Panels|Rows)<(xsimd::\w+(?:<xsimd::\w+>)?)/;

/** The objects of the per-architecture files in a build of the library. */
export async function archObjects(build: string): Promise<string[]> {
  const folder = join(build, "src", "CMakeFiles", "qkv-arch.dir", "arch");
  const names = await readdir(folder);
  return names.filter((name) => name.endsWith(".o")).map((name) => join(folder, name));
}

/**
 * What the objects, each compiled for its own instruction set, leak: the linker keeps one of several
 * equal weak symbols, so that code for one processor might run on another; and a static initializer
 * runs on every processor.
 */
export async function leaks(objects: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  const definedBy = new Map<string, string>();
  for (const object of objects) {
    const file = basename(object);
    const architectures = new Set<string>();
    for (const { mangled, name, type } of await symbolsOf(object)) {
      if (mangled.startsWith("_GLOBAL__sub_I_")) found.push(`${file} runs at start: ${name}`);
      if (/[a-z]/.test(type) && !"ui".includes(type)) continue; // local
      const kernel = KERNEL.exec(name);
      if (kernel?.[1] !== undefined) architectures.add(kernel[1]);
      else if ("WVui".includes(type) || !/^qkv::arch::\w+\(\)$/.test(name)) {
        found.push(`${file} defines ${name}`);
      }
      const other = definedBy.get(mangled);
      if (other !== undefined) found.push(`${file} and ${other} define ${name}`);
      definedBy.set(mangled, file);
    }
    if (architectures.size > 1) found.push(`${file} is for ${[...architectures].join(" and ")}`);
  }
  return found;
}
