// Everything this repository needs from the machine, installed once. Running it again where all is
// present only looks, in a fraction of a second. Of the system nothing is touched beyond adding
// packages of its own release.
//
//   node bindings/toolchain/setup.mjs        installs everything
//   node bindings/toolchain/setup.mjs --env  the same, and prints the variables for a shell, so
//                                            that emcc and CMake can be run by hand:
//       eval "$(node bindings/toolchain/setup.mjs --env)"
//       emcmake cmake $QKV_CMAKE_ARGUMENTS -S . -B build/by-hand
import { pathToFileURL } from "node:url";
import { installPackages as installDebianPackages, missingPackages } from "./apt.mjs";
import { chromiumPackages, provideChromium } from "./chromium.mjs";
import { planEmscripten, provideEmscripten } from "./emscripten.mjs";
import { SetUpError } from "./errors.mjs";
import { withLock } from "./lock.mjs";
import { installPackages } from "./npm.mjs";
import { findOnPath, shellQuote } from "./processes.mjs";
import { describeSystem } from "./system.mjs";
import { provideXsimd } from "./xsimd.mjs";

export { installPackages, SetUpError };

// Programs that a build runs, with the Debian package that has each.
const BUILD_PROGRAMS = { cmake: "cmake", ninja: "ninja-build", python3: "python3" };
const NATIVE_PROGRAMS = { "c++": "g++" };
const NATIVE_TEST_PACKAGES = [
  "googletest",
  "libgtest-dev",
  "nlohmann-json3-dev",
  "pkg-config",
  "binutils",
];
// The page has Chinese text, and its tests look at it.
const FONT_PACKAGE = "fonts-wqy-microhei";

// Libraries are not looked for here: CMake does, and names what it misses.
function checkPrograms(system, missing) {
  if (missing.length === 0) return;
  const names = missing.join(", ");
  throw new SetUpError(
    `On ${system.name} qkv installs no packages by itself: install ${names} and run this again.`,
  );
}

// Makes sure of what is asked for and tells where it is:
//   environment    the variables to add for emcc, emcmake and CMake; empty where emcc needs none
//   emcc, emcmake  their paths (with `wasm`)
//   xsimd          { prefix, include, cmakeArguments }, or null where CMake is left to fetch it
//   chromium       its path (with `browser`)
// `osRelease` names another file than /etc/os-release, for trying out other systems.
export async function setUp({
  wasm = false,
  nativeTests = false,
  browser = false,
  osRelease,
} = {}) {
  const system = describeSystem({ osRelease });
  const emscripten = wasm ? await planEmscripten(system) : null;
  const programs = { ...BUILD_PROGRAMS, ...(nativeTests ? NATIVE_PROGRAMS : {}) };
  const missingPrograms = Object.keys(programs).filter((name) => !findOnPath(name));

  if (system.debianRelease === null) {
    checkPrograms(system, missingPrograms);
  } else {
    const packages = [
      ...missingPrograms.map((name) => programs[name]),
      ...(emscripten?.packages ?? []),
      ...(nativeTests ? NATIVE_TEST_PACKAGES : []),
      ...(browser ? [FONT_PACKAGE] : []),
      ...(browser ? chromiumPackages(system) : []),
    ];
    if (missingPackages(packages).length > 0) await withLock(() => installDebianPackages(packages));
  }

  return {
    ...(emscripten ? await provideEmscripten(system, emscripten) : { environment: {} }),
    xsimd: await provideXsimd(system, { wasm }),
    ...(browser ? { chromium: provideChromium() } : {}),
  };
}

function printForShell({ environment, xsimd, chromium }) {
  const variables = {
    ...environment,
    QKV_CMAKE_ARGUMENTS: xsimd?.cmakeArguments.join(" ") ?? "",
    QKV_CHROMIUM: chromium,
  };
  for (const [name, value] of Object.entries(variables)) {
    process.stdout.write(`export ${name}=${shellQuote(value)}\n`);
  }
}

async function main(args) {
  const tools = await setUp({ wasm: true, nativeTests: true, browser: true });
  if (args.includes("--env")) printForShell(tools);
  else process.stdout.write(`${JSON.stringify(tools, null, 2)}\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  main(process.argv.slice(2)).catch((error) => {
    process.stderr.write(`${error instanceof SetUpError ? error.message : error.stack}\n`);
    process.exitCode = 1;
  });
}
