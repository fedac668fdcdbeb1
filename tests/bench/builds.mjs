// Builds what is measured: the package in dist/, the native program, and the machine's peak as
// WebAssembly.
import { existsSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "../../bindings/toolchain/processes.mjs";
import { step } from "../../bindings/toolchain/progress.mjs";
import { setUp } from "../../bindings/toolchain/setup.mjs";

export const TOP = fileURLToPath(new URL("../..", import.meta.url));
const HERE = fileURLToPath(new URL(".", import.meta.url));

export async function buildAll() {
  // A process of its own: what it prints is no part of a report on standard output.
  await step("the package", () => run(process.execPath, [join(TOP, "bindings", "build.mjs")]));
  const tools = await setUp({ wasm: true, nativeTests: true, browser: true });
  return {
    native: await buildNative(tools),
    peak: await buildPeak(tools),
    chromium: tools.chromium,
  };
}

async function buildNative(tools) {
  const folder = join(TOP, "build", "bench-native");
  await step("the native program", async () => {
    await run("cmake", [
      ...["-G", "Ninja", "-S", TOP, "-B", folder, "-DCMAKE_BUILD_TYPE=Release"],
      ...[
        "-DQKV_BUILD_BENCHMARKS=ON",
        "-DQKV_BUILD_TOOLS=OFF",
        ...(tools.xsimd?.cmakeArguments ?? []),
      ],
    ]);
    await run("cmake", ["--build", folder, "--target", "qkv-bench", "qkv-bench-mechanisms"]);
  });
  return join(folder, "tests", "bench", "qkv-bench");
}

async function buildPeak(tools) {
  const folder = join(TOP, "build", "bench-peak");
  const source = join(HERE, "native", "fma_peak.cpp");
  mkdirSync(folder, { recursive: true });
  const peak = {};
  for (const [variant, flags] of [
    ["simd128", ["-msimd128"]],
    ["relaxed", ["-msimd128", "-mrelaxed-simd"]],
  ]) {
    peak[variant] = join(folder, `${variant}.wasm`);
    if (isNewer(peak[variant], source)) continue;
    await step(`the peak of ${variant}`, () =>
      run(
        tools.emcc,
        [
          ...[source, "-o", peak[variant], "-O3", ...flags],
          ...["--no-entry", "-sSTANDALONE_WASM", "-sEXPORTED_FUNCTIONS=_fma_peak"],
        ],
        { env: { ...process.env, ...tools.environment } },
      ),
    );
  }
  return peak;
}

function isNewer(product, source) {
  return existsSync(product) && statSync(product).mtimeMs > statSync(source).mtimeMs;
}
