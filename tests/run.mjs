// `npm test`: everything, from a clean clone, with all set-up.
//
//   npm test                    all suites
//   npm test -- native wasm     the suites whose names begin with one of these words
//
// Each suite writes a report of its own, which is read afterwards; a suite that wrote none did not
// run, and counts as one failure. The last line is the sum.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "../bindings/build.mjs";
import { SetUpError, installPackages, setUp } from "../bindings/toolchain/setup.mjs";
import { coreSuites } from "./run/core.mjs";
import { Summary } from "./run/summary.mjs";
import { vitestSuite } from "./run/vitest.mjs";

const TOP = fileURLToPath(new URL("..", import.meta.url));
const REPORTS = join(TOP, "build", "reports");

async function main(wanted) {
  const tools = await setUp({ wasm: true, nativeTests: true, browser: true });
  await installPackages();
  rmSync(REPORTS, { recursive: true, force: true });
  mkdirSync(REPORTS, { recursive: true });

  const context = { top: TOP, reports: REPORTS, tools, build };
  const suites = [
    ...coreSuites(context),
    vitestSuite(context, "package", "tests/js/vitest.config.ts"),
    vitestSuite(context, "page", "tests/web/vitest.config.ts"),
    vitestSuite(context, "install", "tests/package/vitest.config.ts"),
  ].filter(({ name }) => wanted.length === 0 || wanted.some((word) => name.startsWith(word)));

  const summary = new Summary();
  for (const suite of suites) await summary.run(suite);
  return summary.finish();
}

main(process.argv.slice(2)).then(
  (failed) => process.exit(failed === 0 ? 0 : 1),
  (error) => {
    // Nothing could be run: that is a failure too, and the last line says so.
    console.error(error instanceof SetUpError ? error.message : error);
    console.log("0 passed, 1 failed");
    process.exit(1);
  },
);
