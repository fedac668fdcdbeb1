// `npm run build`: the npm package in dist/, from the C++ core and the TypeScript around it.
// Running it again where nothing has changed only looks.
import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { bundle, declare, filesOf } from "./steps/javascript.mjs";
import { reportSizes } from "./steps/sizes.mjs";
import { readVersion, writeVersion } from "./steps/version.mjs";
import { buildWasm } from "./steps/wasm.mjs";
import { step } from "./toolchain/progress.mjs";
import { installPackages, SetUpError, setUp } from "./toolchain/setup.mjs";

const TOP = fileURLToPath(new URL("..", import.meta.url));
const SOURCES = join(TOP, "bindings", "js");
const OUTPUT = join(TOP, "dist");
// Tells what dist/ was made from.
const RECORD = join(TOP, "build", "dist-made-from.json");

export async function build() {
  const version = await readVersion(TOP);
  await writeVersion(TOP, version);
  await installPackages();
  const { glue, binaries } = await buildWasm(TOP, await setUp({ wasm: true }));

  const inputs = await digest([version, glue, ...Object.values(binaries)]);
  if (!(await isUpToDate(inputs))) {
    await rm(OUTPUT, { recursive: true, force: true });
    await mkdir(OUTPUT, { recursive: true });
    for (const [name, bytes] of Object.entries(binaries)) {
      await writeFile(join(OUTPUT, name), bytes);
    }
    await step("bundle", () => bundle({ sources: SOURCES, output: OUTPUT, version, glue }));
    await step("declarations", () => declare({ top: TOP, sources: SOURCES, output: OUTPUT }));
    await writeFile(RECORD, JSON.stringify({ inputs, files: await filesOf(OUTPUT, "") }));
  }
  console.log(`qkv ${version} in dist/`);
  await reportSizes(OUTPUT);
}

async function digest(contents) {
  const hash = createHash("sha256");
  for (const content of contents) hash.update(content);
  for (const folder of [SOURCES, join(TOP, "bindings", "steps")]) {
    for (const name of await filesOf(folder, "")) hash.update(await readFile(join(folder, name)));
  }
  return hash.digest("hex");
}

async function isUpToDate(inputs) {
  try {
    const made = JSON.parse(await readFile(RECORD, "utf8"));
    const present = await filesOf(OUTPUT, "");
    return made.inputs === inputs && made.files.every((name) => present.includes(name));
  } catch {
    return false; // never made, or not completely
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  build().catch((error) => {
    console.error(error instanceof SetUpError ? error.message : error);
    process.exitCode = 1;
  });
}
