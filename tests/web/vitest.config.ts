import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// Vitest runs the tests and Playwright's library drives the browser, so that the machine's own
// Chromium is used and none has to be downloaded.
export default defineConfig({
  test: {
    root: fileURLToPath(new URL(".", import.meta.url)),
    include: ["*.test.ts"],
    environment: "node",
    globalSetup: ["./support/site.ts"],
    // Two browsers: most of a test is waiting.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
