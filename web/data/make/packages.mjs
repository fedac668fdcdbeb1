// Where the data comes from: packages that are installed into a temporary folder, never as
// dependencies of this one. Their versions are fixed, so that a file made again is the same file.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const DATA = fileURLToPath(new URL("..", import.meta.url));

/** Makes one file of web/data from what `make` returns, given a folder that is then removed. */
export async function write(name, make) {
  const folder = mkdtempSync(join(tmpdir(), "qkv-data-"));
  try {
    const text = `${JSON.stringify(await make(folder))}\n`;
    writeFileSync(join(DATA, name), text);
    console.log(`web/data/${name}: ${text.length} bytes`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Installs a package of the npm registry, and says where it lies. */
export function npm(folder, name, version) {
  const options = ["--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund", "--no-save"];
  execFileSync("npm", ["install", "--prefix", folder, ...options, `${name}@${version}`], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  return join(folder, "node_modules", name);
}

/** Downloads a wheel of the Python registry, unpacks it, and says where. */
export function wheel(folder, name, version) {
  const run = (...args) =>
    execFileSync("python3", ["-m", ...args], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  run("pip", "download", "--no-deps", "--only-binary", ":all:", "-d", "wheel", `${name}==${version}`);
  // The name of the wheel tells the platform, which does not matter here.
  run("zipfile", "-e", join("wheel", readdirSync(join(folder, "wheel"))[0]), "unpacked");
  return join(folder, "unpacked");
}
