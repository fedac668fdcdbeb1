// Builds of the native library, each in a folder of its own that the next run finds again.
import { join } from "node:path";
import { setUp } from "../../../bindings/toolchain/setup.mjs";
import { FIXTURES, TOP } from "./folders.js";
import { run } from "./processes.js";

/** The compiler that CMake takes. */
export const COMPILER = process.env["CXX"] ?? "c++";

export const KINDS = ["static", "shared"] as const;
export type Kind = (typeof KINDS)[number];

/** Where below its prefix the library is put: the usual place, and a deeper one. */
export const LIBRARY_FOLDER: Record<Kind, string> = { static: "lib", shared: "lib/of/another/place" };

export async function cmake(
  source: string,
  folder: string,
  args: readonly string[] = [],
): Promise<void> {
  await run("cmake", ["-G", "Ninja", "-S", source, "-B", folder, ...args]);
  await run("cmake", ["--build", folder]);
}

/** Builds the library as it is installed; gives the folder. */
export async function buildLibrary(kind: Kind): Promise<string> {
  const folder = join(TOP, "build", `package-native-${kind}`);
  const { xsimd } = await setUp();
  await cmake(TOP, folder, [
    "-DCMAKE_BUILD_TYPE=Release",
    "-DQKV_BUILD_TESTS=OFF",
    `-DBUILD_SHARED_LIBS=${kind === "shared" ? "ON" : "OFF"}`,
    `-DCMAKE_INSTALL_LIBDIR=${LIBRARY_FOLDER[kind]}`,
    ...(xsimd?.cmakeArguments ?? []),
  ]);
  return folder;
}

/** Builds a project that has the library as one of its folders, for debugging; gives the folder. */
export async function buildWithin(): Promise<string> {
  const folder = join(TOP, "build", "package-native-within");
  const { xsimd } = await setUp();
  await cmake(join(FIXTURES, "cmake-add-subdirectory"), folder, [
    "-DCMAKE_BUILD_TYPE=Debug",
    `-DQKV_SOURCE=${TOP}`,
    ...(xsimd?.cmakeArguments ?? []),
  ]);
  return folder;
}
