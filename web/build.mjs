// `npm run build:web`: the tutorial's page in build/web, made of web/, of the built package in dist/
// and of the recorded benchmark. Where nothing has changed since the last time it only looks.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, extname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import { BUILT_PAGE, COMPRESSIBLE } from "./server.mjs";

const TOP = fileURLToPath(new URL("..", import.meta.url));
const WEB = join(TOP, "web");
// What the page takes from the benchmark: a recorded report, and what can be measured again.
const BENCHMARK = ["recorded.json", "shapes.mjs", "numbers.mjs"];
// Tells what build/web was made from.
const RECORD = join(TOP, "build", "page.json");

async function filesUnder(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

async function digest() {
  const hash = createHash("sha256");
  const files = [
    ...(await filesUnder(WEB)).filter((file) => !file.includes("node_modules")),
    ...(await filesUnder(join(TOP, "dist"))),
    ...BENCHMARK.map((name) => join(TOP, "tests", "bench", name)),
    join(TOP, "package-lock.json"),
  ];
  for (const file of files) {
    hash.update(relative(TOP, file)).update("\0");
    hash.update(await readFile(file)).update("\0");
  }
  return hash.digest("hex");
}

async function isUpToDate(inputs) {
  try {
    const made = JSON.parse(await readFile(RECORD, "utf8"));
    const present = (await filesUnder(BUILT_PAGE)).map((file) => relative(BUILT_PAGE, file));
    return made.inputs === inputs && made.files.join() === present.join();
  } catch {
    return false; // never made, or not completely
  }
}

function runVite() {
  const vite = join(TOP, "node_modules", "vite", "bin", "vite.js");
  const args = [vite, "build", WEB, "--config", join(WEB, "vite.config.ts"), "--logLevel", "warn"];
  const child = spawn(process.execPath, args, {
    cwd: TOP,
    // Whoever builds, a test among them: the page that is read is also the one that is tested.
    env: { ...process.env, NODE_ENV: "production" },
    stdio: ["ignore", "inherit", "inherit"],
  });
  return new Promise((done, failed) => {
    child.on("error", failed);
    child.on("close", (code) => {
      if (code === 0) done();
      else failed(new Error(`The page could not be built (vite ended with ${code}).`));
    });
  });
}

// A compressed copy beside each file, as small as it gets: for our server, and for others that look
// for one. It takes seconds for a WebAssembly module, too long for the first reader to wait.
async function compress() {
  const files = (await filesUnder(BUILT_PAGE)).filter((file) => COMPRESSIBLE.has(extname(file)));
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  await Promise.all(
    files.map(async (file) => {
      await writeFile(`${file}.br`, await promisify(brotliCompress)(await readFile(file), { params }));
    }),
  );
}

// Builds the page if anything it is made of has changed; tells whether it did.
export async function buildPage() {
  const inputs = await digest();
  if (await isUpToDate(inputs)) return false;
  await runVite();
  await compress();
  const files = (await filesUnder(BUILT_PAGE)).map((file) => relative(BUILT_PAGE, file));
  await mkdir(dirname(RECORD), { recursive: true });
  await writeFile(RECORD, JSON.stringify({ inputs, files }));
  return true;
}

async function main() {
  const built = await buildPage();
  console.log(built ? "The page is in build/web/." : "The page in build/web/ is up to date.");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  main().catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
