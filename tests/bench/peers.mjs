// Installs what qkv is measured against, each in a folder of its own: one that cannot be had does
// not stop the others.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "../../bindings/toolchain/processes.mjs";
import { step } from "../../bindings/toolchain/progress.mjs";

const MANIFEST = JSON.parse(readFileSync(new URL("peers/package.json", import.meta.url), "utf8"));
const FOLDER = fileURLToPath(new URL("../../build/bench-peers/", import.meta.url));

const PACKAGES = {
  "onnxruntime-node": ["onnxruntime-node"],
  "onnxruntime-web": ["onnxruntime-web"],
  tfjs: ["@tensorflow/tfjs-core", "@tensorflow/tfjs-backend-wasm"],
};

// { folder } where the packages are, or { absent } with the reason.
export async function providePeer(peer) {
  const folder = join(FOLDER, peer);
  const dependencies = Object.fromEntries(
    PACKAGES[peer].map((name) => [name, MANIFEST.dependencies[name]]),
  );
  const modules = join(folder, "node_modules");
  if (PACKAGES[peer].every((name) => versionIn(join(modules, name)) === dependencies[name])) {
    return { folder: modules };
  }
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies }));
  // Scripts fetch libraries for graphics processors, which are not measured, from other servers.
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"];
  try {
    await step(`installing ${peer}`, () => run("npm", args, { cwd: folder }));
    return { folder: modules };
  } catch (error) {
    return { absent: `not installed: ${reasonIn(error.message)}` };
  }
}

// npm says the code of an error, then what is wrong, then where its log is.
function reasonIn(output) {
  const lines = output.split("\n").map((line) => line.trim());
  return lines.find((line) => /^npm error (?!code)/.test(line)) ?? lines[0];
}

function versionIn(folder) {
  const file = join(folder, "package.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).version : null;
}
