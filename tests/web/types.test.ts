// The page, its build and these tests have no type error and no warning of the Svelte compiler.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const TOP = fileURLToPath(new URL("../..", import.meta.url));

it("passes svelte-check", { timeout: 300_000 }, async () => {
  const check = fileURLToPath(
    new URL("../../node_modules/svelte-check/bin/svelte-check", import.meta.url),
  );
  const args = [check, "--tsconfig", "web/tsconfig.json", "--fail-on-warnings"];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: TOP }).catch(
    (error: { stdout: string }) => {
      throw new Error(error.stdout);
    },
  );
  expect(stdout).toContain("0 errors and 0 warnings");
});
