// Emscripten: the one on PATH if it is new enough, else Debian's, installed where the release has a
// usable one and unpacked from the next release into the cache folder where it has not (Debian 12).
import { writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { wrapBinaryen } from "./binaryen.mjs";
import { cacheFolder } from "./cache-folder.mjs";
import { provideCached } from "./cache.mjs";
import { SetUpError } from "./errors.mjs";
import { unpackPackages } from "./newer-debian.mjs";
import { findOnPath, run } from "./processes.mjs";
import { step } from "./progress.mjs";

const OLDEST_EMSCRIPTEN = "3.1.69";
const MANUAL = "https://emscripten.org/docs/getting_started/downloads.html";
// The JavaScript optimiser of Emscripten imports it; Debian packages it apart.
const ACORN = "acorn@8.15.0";
// Libraries for dynamic linking and for Emscripten's own file system, half of the package's 1.6 GB.
// Should anything ever link them, Emscripten builds them anew from the sources beside them.
const NOT_NEEDED = ["*/wasm32-emscripten/pic", "*/wasm32-emscripten/lto-pic", "*/libwasmfs*"];

function isAtLeast(version, oldest) {
  const [a, b] = [version, oldest].map((text) => text.split(".").map(Number));
  const differing = a.findIndex((part, index) => part !== b[index]);
  return differing < 0 || a[differing] > b[differing];
}

// { emcc, version, fits } of the first emcc on PATH that is not the cache's, or null.
async function findEmccOnPath() {
  const emcc = findOnPath("emcc");
  // A caller may have put the cached one on PATH already; it needs the settings that come with it.
  if (!emcc || emcc.startsWith(cacheFolder())) return null;
  // One that does not start is no use, and does not stop us from getting another.
  const answer = await run(emcc, ["--version"]).catch(() => "");
  const version = /\d+\.\d+\.\d+/.exec(answer)?.[0];
  return { emcc, version, fits: version !== undefined && isAtLeast(version, OLDEST_EMSCRIPTEN) };
}

// How Emscripten is to be had on this system: { found } on PATH, or { packages } for apt with
// { unpacked } telling whether more has to be unpacked into the cache folder.
export async function planEmscripten(system) {
  const found = await findEmccOnPath();
  if (found?.fits) return { found, packages: [], unpacked: false };
  if (system.debianRelease >= 13) return { packages: ["emscripten"], unpacked: false };
  if (system.debianRelease === 12 && system.architecture) {
    // python3 for the interpreter of the system, which a private one on PATH may hide
    return { packages: ["clang-19", "lld-19", "llvm-19", "python3"], unpacked: true };
  }
  const seen = found ? ` (the one on PATH is ${found.version ?? "of an unknown version"})` : "";
  throw new SetUpError(
    `On ${system.name} qkv cannot install Emscripten by itself: ` +
      `install version ${OLDEST_EMSCRIPTEN} or newer${seen} as ${MANUAL} describes, ` +
      "put emcc on PATH and run this again.",
  );
}

// Emscripten reads its settings from a Python file, named by the variable EM_CONFIG.
const CONFIG = `import os
prefix = os.path.join(os.path.dirname(os.environ["EM_CONFIG"]), "prefix")
LLVM_ROOT = "/usr/lib/llvm-19/bin"
BINARYEN_ROOT = os.path.join(prefix, "usr")
NODE_JS = "node"
CACHE = os.path.join(prefix, "usr/share/emscripten/cache")
`;

async function unpackEmscripten(system, folder) {
  const prefix = join(folder, "prefix");
  await unpackPackages({
    system,
    suite: "trixie",
    packages: ["emscripten", "binaryen", "libc6", "libstdc++6", "libgcc-s1"],
    exclude: NOT_NEEDED,
    prefix,
    workFolder: join(folder, "work"),
  });
  wrapBinaryen(prefix, system.architecture);
  writeFileSync(join(folder, "config.py"), CONFIG);
  const options = ["--no-save", "--no-package-lock", "--no-audit", "--no-fund"];
  const emscripten = join(prefix, "usr/share/emscripten");
  await run("npm", ["install", ...options, "--prefix", emscripten, ACORN]);
}

// What a plan comes to once its packages are installed: { emcc, emcmake, environment },
// where `environment` holds the variables to be set for both commands.
export async function provideEmscripten(system, plan) {
  if (plan.unpacked) {
    const name = `emscripten-trixie-${system.architecture.name}`;
    const folder = await provideCached(name, (unfinished) =>
      step("fetching and unpacking Emscripten of Debian 13 (250 MB)", () =>
        unpackEmscripten(system, unfinished),
      ),
    );
    const commands = join(folder, "prefix/usr/share/emscripten");
    const path = (process.env.PATH ?? "").split(delimiter).filter((entry) => entry !== commands);
    return {
      emcc: join(commands, "emcc"),
      emcmake: join(commands, "emcmake"),
      environment: {
        EM_CONFIG: join(folder, "config.py"),
        EMSDK_PYTHON: "/usr/bin/python3",
        PATH: [commands, ...path].join(delimiter),
      },
    };
  }
  const found = plan.found ?? (await findEmccOnPath());
  if (!found?.fits) {
    // An old one that stands before the installed one on PATH.
    const version = found?.version ?? "of an unknown version";
    throw new SetUpError(`${found?.emcc} is ${version}: take it off PATH and run this again.`);
  }
  return { emcc: found.emcc, emcmake: join(dirname(found.emcc), "emcmake"), environment: {} };
}
