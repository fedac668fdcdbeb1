// Bundles the TypeScript around the core, and writes its declarations.
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "../toolchain/processes.mjs";

// Modules that are loaded by a file name of their own. What they share goes into chunks beside them.
const ENTRIES = ["index.ts", "worker.ts", "worker-thread.ts", "pool-thread.ts"];
// What a strict content security policy forbids, and what bundlers for the web stumble over.
const FORBIDDEN = [/\beval\s*\(/, /\bnew Function\b/, /\brequire\s*\(/, /\bimport\s*\(/];

export async function bundle({ sources, output, version, glue }) {
  const { build } = await import("esbuild");
  await build({
    entryPoints: ENTRIES.map((name) => join(sources, name)),
    outdir: output,
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    minify: true,
    // Flat: the .wasm files are found relative to the chunk that names them.
    chunkNames: "[name]-[hash]",
    define: { QKV_VERSION: JSON.stringify(version) },
    legalComments: "none",
    logLevel: "warning",
    plugins: [useGlue(glue)],
  });
  for (const name of await filesOf(output, ".js")) {
    const text = await shrink(await readFile(join(output, name), "utf8"));
    await writeFile(join(output, name), text);
    const found = FORBIDDEN.find((pattern) => pattern.test(text));
    if (found !== undefined) throw new Error(`dist/${name} has ${found} in it.`);
  }
}

// A second minifier, for what esbuild leaves: the glue has much that only other settings need.
async function shrink(text) {
  const { minify } = await import("terser");
  const settings = { module: true, ecma: 2020, compress: { passes: 3 } };
  return (await minify(text, settings)).code;
}

function useGlue(glue) {
  return {
    name: "glue",
    setup(build) {
      build.onResolve({ filter: /^\.\/glue\.js$/ }, () => ({ path: "glue.js", namespace: "glue" }));
      build.onLoad({ filter: /.*/, namespace: "glue" }, () => ({ contents: glue, loader: "js" }));
    },
  };
}

// Only what the two public declarations refer to is kept: the rest is nobody's business.
export async function declare({ top, sources, output }) {
  const compiler = join(top, "node_modules", "typescript", "bin", "tsc");
  await run(process.execPath, [compiler, "-p", sources, "--outDir", output]);
  const reached = new Set();
  await reach(output, "index.d.ts", reached);
  await reach(output, "worker.d.ts", reached);
  for (const name of await filesOf(output, ".d.ts")) {
    if (!reached.has(name)) await rm(join(output, name));
  }
}

async function reach(folder, name, reached) {
  if (reached.has(name)) return;
  reached.add(name);
  const text = await readFile(join(folder, name), "utf8");
  for (const [, module] of text.matchAll(/(?:from|import)\s*\(?["']\.\/([\w-]+)\.js["']/g)) {
    await reach(folder, `${module}.d.ts`, reached);
  }
}

export async function filesOf(folder, ending) {
  return (await readdir(folder)).filter((name) => name.endsWith(ending)).sort();
}
