// xsimd 13.2, the header-only library behind the kernels: the machine's own if there is a usable
// one, else Debian 13's, unpacked into the cache folder. Where neither is to be had CMake fetches
// it.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { provideCached } from "./cache.mjs";
import { unpackPackages } from "./newer-debian.mjs";
import { step } from "./progress.mjs";

// The versions that find_package(xsimd 13.2) takes.
const [MAJOR, OLDEST_MINOR] = [13, 2];

function entriesOf(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

// The folders below `prefix` that find_package looks into.
function cmakeFolders(prefix) {
  const multiarch = entriesOf(join(prefix, "lib")).filter((name) => name.includes("-linux-"));
  const parents = ["share", "lib", "lib64", ...multiarch.map((name) => join("lib", name))];
  return parents
    .map((name) => join(prefix, name, "cmake"))
    .filter((folder) => hasUsableXsimd(folder));
}

function hasUsableXsimd(cmakeFolder) {
  const file = join(cmakeFolder, "xsimd", "xsimdConfigVersion.cmake");
  if (!existsSync(file)) return false;
  const version = /set\(PACKAGE_VERSION "(\d+)\.(\d+)/.exec(readFileSync(file, "utf8"));
  return version !== null && Number(version[1]) === MAJOR && Number(version[2]) >= OLDEST_MINOR;
}

// Cross-compiling, CMake looks only below Emscripten's own folders, hence the exact places; xtl
// because an xsimd that was configured with it asks for it.
function describe(prefix, cmakeFolder) {
  const names = ["xsimd", "xtl"].filter((name) => existsSync(join(cmakeFolder, name)));
  return {
    prefix,
    include: join(prefix, "include"),
    cmakeArguments: names.map((name) => `-D${name}_DIR=${join(cmakeFolder, name)}`),
  };
}

// { prefix, include, cmakeArguments } or null. For WebAssembly the headers must not lie among those
// of the machine's C library, which would be found before Emscripten's: /usr does not count then.
export function findXsimd({ wasm }) {
  const given = (process.env.CMAKE_PREFIX_PATH ?? "").split(":").filter(Boolean);
  const prefixes = [...given, "/usr/local", "/opt/homebrew", "/usr"].filter(
    (prefix) => !wasm || !/^\/usr\/*$/.test(prefix),
  );
  for (const prefix of prefixes) {
    const [folder] = cmakeFolders(prefix);
    if (folder) return describe(prefix, folder);
  }
  return null;
}

export async function provideXsimd(system, { wasm }) {
  const found = findXsimd({ wasm });
  if (found || !system.architecture || system.debianRelease < 12) return found;
  const name = `xsimd-trixie-${system.architecture.name}`;
  const fill = (partial) =>
    step("fetching xsimd of Debian 13", () =>
      unpackPackages({
        system,
        suite: "trixie",
        packages: ["libxsimd-dev", "xtl-dev"],
        prefix: join(partial, "prefix"),
        workFolder: join(partial, "work"),
      }),
    );
  const folder = await provideCached(name, fill);
  const prefix = join(folder, "prefix/usr");
  return describe(prefix, join(prefix, "share/cmake"));
}
