// Suites that Vitest runs: the package, the page, the installed products.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { show } from "./process.mjs";

export function vitestSuite({ top, reports, tools, build }, name, config) {
  return {
    name,
    run: async () => {
      await build(); // the package that the tests use; a look, when it is up to date
      const report = join(reports, `${name}.json`);
      const code = await show(
        process.execPath,
        [
          ...[join(top, "node_modules", "vitest", "vitest.mjs"), "run", "--config", config],
          ...["--reporter=default", "--reporter=json", `--outputFile.json=${report}`],
        ],
        { cwd: top, env: { ...tools.environment, QKV_CHROMIUM: tools.chromium } },
      );
      if (!existsSync(report)) throw new Error(`${name}: ended with ${code} and left no report`);
      const { numPassedTests, numFailedTests, numPendingTests, testResults } = JSON.parse(
        readFileSync(report, "utf8"),
      );
      const failures = testResults
        .flatMap(({ assertionResults }) => assertionResults)
        .filter(({ status }) => status === "failed")
        .map(({ fullName }) => fullName);
      // A file that could not be loaded, or an error outside every test.
      for (const file of testResults) {
        if (file.status === "failed" && file.assertionResults.length === 0) failures.push(file.name);
      }
      if (numPendingTests > 0) failures.push(`${name}: ${numPendingTests} tests were skipped`);
      if (code !== 0 && failures.length === 0) failures.push(`${name}: ended with ${code}`);
      return {
        passed: numPassedTests,
        failed: Math.max(numFailedTests, failures.length),
        failures,
      };
    },
  };
}
