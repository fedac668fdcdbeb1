// The packages of the machine's own Debian release, installed the normal way.
import { spawnSync } from "node:child_process";
import { SetUpError } from "./errors.mjs";
import { findOnPath, run } from "./processes.mjs";
import { step } from "./progress.mjs";

// Those of the named packages that are not installed.
export function missingPackages(names) {
  if (names.length === 0) return [];
  // dpkg-query complains about names it has never seen; they are missing like the others.
  const format = "--showformat=${Package} ${db:Status-Status}\\n";
  const { stdout } = spawnSync("dpkg-query", ["--show", format, ...names], { encoding: "utf8" });
  const states = new Set((stdout ?? "").split("\n"));
  return names.filter((name) => !states.has(`${name} installed`));
}

const isRoot = () => process.getuid() === 0;

// sudo forgets the environment, hence `env` behind it.
function runAsRoot(...command) {
  const words = [
    ...(isRoot() ? [] : ["sudo"]),
    "env",
    "DEBIAN_FRONTEND=noninteractive",
    ...command,
  ];
  return run(words[0], words.slice(1));
}

function aptGet(...args) {
  return runAsRoot("apt-get", "-qq", "-o", "DPkg::Lock::Timeout=600", ...args);
}

// One source of many may be out of order without anything of it being needed here: what matters is
// whether the installation works, and it says what it could not get.
export function updateLists() {
  return step("apt-get update", () => aptGet("update").catch(() => {}));
}

export async function installPackages(names) {
  const missing = missingPackages(names);
  if (missing.length === 0) return;
  if (!isRoot() && !findOnPath("sudo")) {
    const names = missing.join(" ");
    throw new SetUpError(
      `Without root or sudo nothing can be installed: have ${names} installed and run this again.`,
    );
  }
  const install = () => aptGet("install", "--yes", "--no-install-recommends", ...missing);
  await updateLists();
  await step(`apt-get install ${missing.join(" ")}`, async () => {
    try {
      await install();
    } catch {
      // The two failures that a second try settles: an installation that was interrupted earlier,
      // and a mirror that was replaced between the lists and the download.
      await runAsRoot("dpkg", "--configure", "-a");
      await aptGet("update").catch(() => {});
      await install();
    }
  });
}
