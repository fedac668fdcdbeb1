// Compiles the core to one WebAssembly module per variant, and makes one file of their JavaScript.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "../toolchain/processes.mjs";
import { step } from "../toolchain/progress.mjs";

export const VARIANTS = ["simd128", "relaxed"];

// Returns { glue, binaries }: the text of the glue, and the bytes of each variant's module.
export async function buildWasm(top, tools) {
  const folder = join(top, "build", "wasm");
  const options = { env: { ...process.env, ...tools.environment } };
  await configure(top, folder, tools, options);
  const targets = VARIANTS.map((variant) => `qkv-module-${variant}`);
  const args = ["--build", folder, "--target", ...targets];
  await step("WebAssembly", () => run("cmake", args, options));

  const glues = {};
  const binaries = {};
  for (const variant of VARIANTS) {
    const file = join(folder, "bindings", `qkv.${variant}`);
    glues[variant] = neutral(await readFile(`${file}.mjs`, "utf8"), variant);
    binaries[variant] = await readFile(`${file}.wasm`);
  }
  if (glues.simd128 !== glues.relaxed) {
    throw new Error("The glue of the two variants differs, so one file cannot serve both.");
  }
  return { glue: glues.simd128, binaries };
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

// The glue could look for its module beside itself, with the expression by which bundlers know an
// asset, and they would stop at a file that is not there. Our loader always brings the module.
function neutral(glue, variant) {
  const name = `["']qkv\\.${variant}\\.wasm["']`;
  const address = new RegExp(`new URL\\(${name}, *import\\.meta\\.url\\)(\\.href)?`, "g");
  return glue.replace(address, '""').replace(new RegExp(name, "g"), '""');
}
