// `npm run bench`: long sequences, natively and in WebAssembly: time, memory, and what a window
// saves; and what it costs to bring numbers into WebAssembly and out again. Prints a table and writes build/bench.json. With --quick a quarter of the length.
//
// Times are ratios within one run: the machine may be shared and noisy.
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "../../bindings/build.mjs";
import { run } from "../../bindings/toolchain/processes.mjs";
import { step } from "../../bindings/toolchain/progress.mjs";
import { SetUpError, setUp } from "../../bindings/toolchain/setup.mjs";

const TOP = fileURLToPath(new URL("../..", import.meta.url));
const MEBIBYTE = 2 ** 20;
const WIDTH = 64;

async function main() {
  const length = process.argv.includes("--quick") ? 16384 : 65536;
  await build();
  const native = await buildNative(await setUp({ wasm: true }));
  const wasm = fileURLToPath(new URL("long.mjs", import.meta.url));
  // Node 20 knows relaxed SIMD only when told to; later versions always.
  const flags = Number(process.versions.node.split(".")[0]) < 21 ? ["--experimental-wasm-relaxed-simd"] : [];
  const contenders = [
    { name: "native", command: [native] },
    { name: "wasm simd128", command: [process.execPath, wasm, "simd128"] },
    { name: "wasm relaxed", command: [process.execPath, ...flags, wasm, "relaxed"] },
  ];

  const results = [];
  const ratios = [];
  const inputAndOutput = 4 * length * WIDTH * 4;
  for (const { name, command } of contenders) {
    const measured = {};
    for (const kind of ["full", "window"]) {
      const [program, ...args] = [...command, String(length), kind];
      const text = await step(`${name} ${kind} (1, 1, ${length}, ${WIDTH})`, () => run(program, args));
      const { ms, peakBytes, threads } = JSON.parse(text);
      const pairs = kind === "full" ? length ** 2 : length * 513 - 256 * 257;
      measured[kind] = { ms, peakBytes };
      results.push({
        shape: `(1, 1, ${length}, ${WIDTH}) ${kind}`,
        contender: name,
        threads,
        medianMs: ms,
        gflops: (4 * pairs * WIDTH) / ms / 1e6,
        peakBytes,
      });
    }
    const extra = Math.max(measured.full.peakBytes, measured.window.peakBytes) - inputAndOutput;
    ratios.push(
      { name: `${name}: window 256 over full`, value: measured.window.ms / measured.full.ms, reach: 1 / 50, higherIsBetter: false },
      { name: `${name}: MiB beyond input and output`, value: extra / MEBIBYTE, reach: 64, higherIsBetter: false },
    );
  }
  const copied = await step("a million numbers in and out", () =>
    run(process.execPath, [fileURLToPath(new URL("copy.mjs", import.meta.url))]),
  );
  const copy = { name: "package: ms for 2^20 numbers in and out", value: JSON.parse(copied).ms };
  ratios.push({ ...copy, reach: 10, higherIsBetter: false });
  print(results, ratios);
  mkdirSync(join(TOP, "build"), { recursive: true });
  const report = { machine: cpus()[0]?.model ?? "unknown", versions: { node: process.version }, results, ratios };
  writeFileSync(join(TOP, "build", "bench.json"), JSON.stringify(report, null, 2));
}

async function buildNative(tools) {
  const folder = join(TOP, "build", "bench-native");
  await step("build native", async () => {
    await run("cmake", [
      ...["-G", "Ninja", "-S", TOP, "-B", folder, "-DCMAKE_BUILD_TYPE=Release"],
      ...["-DQKV_BUILD_BENCHMARKS=ON", "-DQKV_BUILD_TOOLS=OFF", ...(tools.xsimd?.cmakeArguments ?? [])],
    ]);
    await run("cmake", ["--build", folder, "--target", "qkv-bench"]);
  });
  return join(folder, "tests", "bench", "qkv-bench");
}

function print(results, ratios) {
  console.log("\nshape                          contender      threads        ms  GFLOP/s  peak MiB");
  for (const { shape, contender, threads, medianMs, gflops, peakBytes } of results) {
    const columns = [
      shape.padEnd(31),
      contender.padEnd(15),
      String(threads).padStart(7),
      medianMs.toFixed(1).padStart(10),
      gflops.toFixed(1).padStart(9),
      (peakBytes / MEBIBYTE).toFixed(1).padStart(10),
    ];
    console.log(columns.join(""));
  }
  console.log("\nfigure                                      value    reach");
  for (const { name, value, reach } of ratios) {
    const met = value <= reach ? "" : "   missed";
    console.log(`${name.padEnd(40)}${value.toPrecision(3).padStart(9)}${reach.toPrecision(3).padStart(9)}${met}`);
  }
}

main().catch((error) => {
  console.error(error instanceof SetUpError ? error.message : error);
  process.exitCode = 1;
});
