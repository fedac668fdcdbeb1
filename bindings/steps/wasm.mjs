// Compiles the core to WebAssembly, two variants, each without threads and with them, and makes one
// file of their JavaScript.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "../toolchain/processes.mjs";
import { step } from "../toolchain/progress.mjs";

const VARIANTS = ["simd128", "relaxed"];

// Returns { glue, binaries }: the text of the glue, and the bytes of each module by its file's name.
export async function buildWasm(top, tools) {
  const folder = join(top, "build", "wasm");
  const options = { env: { ...process.env, ...tools.environment } };
  await configure(top, folder, tools, options);
  const targets = VARIANTS.flatMap((variant) => {
    return [`qkv-module-${variant}`, `qkv-module-${variant}-threads`];
  });
  const args = ["--build", folder, "--target", ...targets];
  await step("WebAssembly", () => run("cmake", args, options));

  const glues = {};
  const binaries = {};
  for (const variant of VARIANTS) {
    glues[variant] = neutral(await readFile(join(folder, "bindings", `qkv.${variant}.mjs`), "utf8"), variant);
    for (const name of [`qkv.${variant}.wasm`, `qkv.${variant}.threads.wasm`]) {
      binaries[name] = await readFile(join(folder, "bindings", name));
    }
  }
  const glue = glues[VARIANTS[0]];
  if (VARIANTS.some((variant) => glues[variant] !== glue)) {
    throw new Error("The glue of the variants differs, so one file cannot serve all.");
  }
  // Node 20 compiles no relaxed SIMD; the variants differ in their kernels alone.
  const known = await importsOf(binaries["qkv.simd128.wasm"]);
  const unknown = (await importsOf(binaries["qkv.simd128.threads.wasm"])).filter(
    (name) => !known.includes(name),
  );
  if (unknown.length > 0) throw new Error(`With threads it imports what no glue has: ${unknown}`);
  return { glue, binaries };
}

async function importsOf(bytes) {
  const module = await WebAssembly.compile(bytes);
  return WebAssembly.Module.imports(module).map(({ module: from, name }) => `${from}.${name}`);
}

// The glue could look for its module beside itself, with the expression by which bundlers know an
// asset, and they would stop at a file that is not there. Our loader always brings the module.
function neutral(glue, variant) {
  const name = `["']qkv\\.${variant}\\.wasm["']`;
  const address = new RegExp(`new URL\\(${name}, *import\\.meta\\.url\\)(\\.href)?`, "g");
  return glue.replace(address, '""').replace(new RegExp(name, "g"), '""');
}

// CMake runs itself again when its files change; it is run from here the first time and when what it
// is told has changed.
async function configure(top, folder, tools, options) {
  const args = [
    ...["cmake", "-G", "Ninja", "-S", top, "-B", folder, "-DCMAKE_BUILD_TYPE=Release"],
    ...(tools.xsimd?.cmakeArguments ?? []),
  ];
  const record = join(folder, "configured-with.json");
  const wanted = JSON.stringify([tools.emcmake, ...args]);
  if ((await readFile(record, "utf8").catch(() => "")) === wanted) return;
  await mkdir(folder, { recursive: true });
  await step("configuring WebAssembly", () => run(tools.emcmake, args, options));
  await writeFile(record, wanted);
}
