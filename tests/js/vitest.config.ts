import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL(".", import.meta.url));

// Node 20 knows relaxed SIMD only when told to. Without that flag it proves, on the way, that the
// simd128 binary holds no relaxed instruction.
const knowsRelaxed = Number(process.versions.node.split(".")[0]) >= 21;

function project(variant: "simd128" | "relaxed", execArgv: string[]) {
  return {
    test: {
      name: variant,
      root,
      environment: "node",
      include: ["*.test.ts"],
      setupFiles: ["support/seed.ts"],
      env: { QKV_TEST_VARIANT: variant },
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
      project("simd128", []),
      project("relaxed", knowsRelaxed ? [] : ["--experimental-wasm-relaxed-simd"]),
    ],
  },
});
