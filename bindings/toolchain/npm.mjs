// The npm packages of this repository, exactly those of its lock file.
import { statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { withLock } from "./lock.mjs";
import { run } from "./processes.mjs";
import { step } from "./progress.mjs";

const TOP = fileURLToPath(new URL("../..", import.meta.url));

// npm writes its own lock file into node_modules as the very last thing it does: it is missing
// after an interrupted installation, and older than the repository's after that one changed.
export function packagesAreInstalled(folder = TOP) {
  const time = (...names) => statSync(join(folder, ...names), { throwIfNoEntry: false })?.mtimeMs;
  const installed = time("node_modules", ".package-lock.json");
  const wanted = time("package-lock.json");
  return installed !== undefined && wanted !== undefined && installed >= wanted;
}

export async function installPackages(folder = TOP) {
  if (packagesAreInstalled(folder)) return;
  // Some packages fetch or unpack a program in their install script; a user's setting must not stop
  // that.
  const args = ["ci", "--ignore-scripts=false", "--no-audit", "--no-fund"];
  await withLock(async () => {
    if (packagesAreInstalled(folder)) return; // by the set-up that was waited for
    await step("npm ci", () => run("npm", args, { cwd: folder }));
  });
}
