// The core's GoogleTest suites: one source, run once for each backend of this processor, under
// sanitizers, and compiled to WebAssembly under Node, without threads and with them.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../bindings/toolchain/processes.mjs";
import { step } from "../../bindings/toolchain/progress.mjs";
import { show } from "./process.mjs";

// Sanitized code is compiled with some optimisation: the sweeps would take minutes without.
const SANITIZED = ["-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1"];

// Programs in WebAssembly and their backends.
const WASM_PROGRAMS = { simd128: "simd128", relaxed: "relaxed", threads: "simd128" };

export function coreSuites(context) {
  const native = lazily(() => buildTests(context, "native", "qkv-tests", []));
  const sanitized = (kind, target) =>
    buildTests(context, kind, target, [...SANITIZED, `-DQKV_SANITIZE=${kind}`]);
  const suites = [
    ...backendNames().map((backend) => ({
      name: `native ${backend}`,
      run: async () => runTests(context, `native-${backend}`, [await native()], { QKV_BACKEND: backend }),
    })),
    {
      name: "native ASan, UBSan",
      run: async () =>
        runTests(context, "address", [await sanitized("address,undefined", "qkv-tests")]),
    },
    {
      name: "native TSan",
      run: async () => runTests(context, "thread", [await sanitized("thread", "qkv-thread-tests")]),
    },
  ];
  const wasm = lazily(() => buildWasmTests(context));
  for (const [name, backend] of Object.entries(WASM_PROGRAMS)) {
    // Node 20 knows relaxed SIMD only when told to. Without the flag it also proves that the simd128
    // binary holds no relaxed instruction.
    const flags = backend === "relaxed" ? ["--experimental-wasm-relaxed-simd"] : [];
    suites.push({
      name: `wasm ${name}`,
      run: async () => {
        const program = join(await wasm(), `qkv-tests-${name}.cjs`);
        const command = [process.execPath, ...nodeFlags(flags), program];
        return runTests(context, `wasm-${name}`, command, { QKV_BACKEND: backend });
      },
    });
  }
  return suites;
}

// Later versions of Node have the feature always, and refuse the flag.
function nodeFlags(flags) {
  return Number(process.versions.node.split(".")[0]) < 21 ? flags : [];
}

// The backends that this processor runs, by its flags: the tests themselves assert that the forced
// one is the one in use, and that the list is what the library says.
function backendNames() {
  const text = process.platform === "linux" ? readFileSync("/proc/cpuinfo", "utf8") : "";
  const has = (flag) => new RegExp(`\\b${flag}\\b`).test(text);
  const names = ["scalar"];
  if (process.arch === "x64") names.push("sse2");
  if (has("avx2") && has("fma")) names.push("avx2");
  if (["avx512f", "avx512cd", "avx512dq", "avx512bw"].every(has)) names.push("avx512");
  if (process.arch === "arm64") names.push("neon64");
  return names;
}

function lazily(make) {
  let made;
  return () => (made ??= make());
}

async function buildTests({ top, tools }, kind, target, args) {
  const folder = join(top, "build", `tests-${kind.replace(",", "-")}`);
  await step(`configure tests (${kind})`, () =>
    run("cmake", [
      ...["-G", "Ninja", "-S", top, "-B", folder, "-DCMAKE_BUILD_TYPE=Release"],
      ...["-DQKV_BUILD_TESTS=ON", "-DQKV_BUILD_TOOLS=OFF", ...(tools.xsimd?.cmakeArguments ?? [])],
      ...args,
    ]),
  );
  await step(`build tests (${kind})`, () =>
    run("cmake", ["--build", folder, "--target", target]),
  );
  return join(folder, "tests", "core", target);
}

// The folder of all programs, which are made of the same objects but for the kernels and the pool.
async function buildWasmTests({ top, tools }) {
  const folder = join(top, "build", "tests-wasm");
  const options = { env: { ...process.env, ...tools.environment } };
  const args = [
    ...["cmake", "-G", "Ninja", "-S", top, "-B", folder, "-DCMAKE_BUILD_TYPE=Release"],
    ...["-DQKV_BUILD_TESTS=ON", ...(tools.xsimd?.cmakeArguments ?? [])],
  ];
  await step("configure tests (wasm)", () => run(tools.emcmake, args, options));
  const targets = Object.keys(WASM_PROGRAMS).map((name) => `qkv-tests-${name}`);
  await step("build tests (wasm)", () =>
    run("cmake", ["--build", folder, "--target", ...targets], options),
  );
  return join(folder, "tests", "core");
}

async function runTests({ reports }, name, [command, ...args], env = {}) {
  const report = join(reports, `core-${name}.json`);
  const code = await show(
    command,
    [...args, "--gtest_brief=1", `--gtest_output=json:${report}`],
    { env, quiet: false },
  );
  if (!existsSync(report)) throw new Error(`${name}: ended with ${code} and left no report`);
  const { tests, failures, testsuites } = JSON.parse(readFileSync(report, "utf8"));
  const failed = testsuites
    .flatMap(({ testsuite }) => testsuite)
    .filter((test) => test.failures?.length > 0)
    .map((test) => `${test.classname}.${test.name}`);
  // A sanitizer's finding, or a crash at the end, is in no report.
  if (code !== 0 && failures === 0) failed.push(`${name}: ended with ${code}`);
  return { passed: tests - failures, failed: Math.max(failures, failed.length), failures: failed };
}
