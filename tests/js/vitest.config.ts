import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL(".", import.meta.url));

// Node 20 knows relaxed SIMD only when told to. Without that flag it proves, on the way, that the
// simd128 binary holds no relaxed instruction.
const knowsRelaxed = Number(process.versions.node.split(".")[0]) >= 21;

// What goes through the module's memory, and the numbers that come of it. How bad input is refused, and
// how the package is made, does not depend on threads.
const WITH_THREADS = ["golden", "memory", "properties", "threads", "worker"];

function project(variant: "simd128" | "relaxed", threads: number, execArgv: string[]) {
  const names = threads > 1 ? WITH_THREADS : ["*"];
  return {
    test: {
      name: threads > 1 ? `${variant} threads` : variant,
      root,
      environment: "node",
      include: names.map((name) => `${name}.test.ts`),
      exclude: threads > 1 ? [] : ["threads.test.ts"],
      setupFiles: ["support/seed.ts"],
      env: { QKV_TEST_VARIANT: variant, QKV_TEST_THREADS: String(threads) },
      execArgv: ["--expose-gc", ...execArgv],
      testTimeout: 60_000,
      // The package as it is shipped, not transformed.
      server: { deps: { external: [/\/dist\//] } },
    },
  };
}

export default defineConfig({
  cacheDir: fileURLToPath(new URL("../../build/vitest", import.meta.url)),
  test: {
    root,
    projects: [
      // What needs no compiled core.
      {
        test: {
          name: "unit",
          root,
          environment: "node",
          include: ["unit/*.test.ts"],
          testTimeout: 60_000,
          typecheck: {
            enabled: true,
            include: ["*.test-d.ts"],
            tsconfig: fileURLToPath(new URL("tsconfig.json", import.meta.url)),
          },
        },
      },
      ...[1, 2].flatMap((threads) => [
        project("simd128", threads, []),
        project("relaxed", threads, knowsRelaxed ? [] : ["--experimental-wasm-relaxed-simd"]),
      ]),
    ],
  },
});
