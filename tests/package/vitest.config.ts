import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// What is handed out, used the way its users do: the packed tarball and the installed library.
export default defineConfig({
  cacheDir: fileURLToPath(new URL("../../build/vitest", import.meta.url)),
  test: {
    root: fileURLToPath(new URL(".", import.meta.url)),
    include: ["*.test.ts"],
    environment: "node",
    // One build at a time: each keeps all processors busy by itself.
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 600_000,
  },
});
