// Which system this is, as far as the set-up cares: its Debian release and its architecture.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

// How Debian names the folders and the program loader of an architecture.
const ARCHITECTURES = {
  amd64: { name: "amd64", triplet: "x86_64-linux-gnu", loader: "ld-linux-x86-64.so.2" },
  arm64: { name: "arm64", triplet: "aarch64-linux-gnu", loader: "ld-linux-aarch64.so.1" },
};

function readOsRelease(path) {
  let text;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return {}; // macOS, Windows, or a container without the file
  }
  const entries = text.matchAll(/^([A-Z_]+)=(["']?)(.*)\2$/gm);
  return Object.fromEntries([...entries].map(([, key, , value]) => [key, value]));
}

function debianArchitecture() {
  const { stdout } = spawnSync("dpkg", ["--print-architecture"], { encoding: "utf8" });
  return stdout?.trim() ?? null;
}

// { name: for messages, debianRelease: a number or null, codename, architecture: an entry of the
// table, or null where it is none of them }. `osRelease` and `architecture` are for trying out
// other systems.
export function describeSystem({ osRelease = "/etc/os-release", architecture } = {}) {
  const release = readOsRelease(osRelease);
  const isDebian = release.ID === "debian";
  return {
    name: release.PRETTY_NAME ?? `this system (${process.platform})`,
    // Debian testing and unstable have no number: they are newer than every numbered release.
    debianRelease: isDebian ? Number.parseInt(release.VERSION_ID ?? "99", 10) : null,
    codename: release.VERSION_CODENAME ?? null,
    architecture: (isDebian && ARCHITECTURES[architecture ?? debianArchitecture()]) || null,
  };
}
