// `npm run bench`: how fast qkv is, beside its peers and beside what the machine can do. Prints
// tables and writes build/bench.json.
//
//   npm run bench                            everything
//   npm run bench -- --quick                 what the ratios need, by fewer and shorter samples
//   npm run bench -- --only long             one shape, of shapes.mjs; may be repeated
//   npm run bench -- --only native           contenders with this word, or words, in their names
//   npm run bench -- --only bert --only "wasm relaxed" --only onnxruntime-web
//   npm run bench -- --json                  prints build/bench.json instead of tables
//
// Times are ratios within one run: the machine may be shared and noisy. How it is measured, and
// what the ratios mean: README.md beside this file.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { arch, cpus, totalmem, type } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { note } from "../../bindings/toolchain/progress.mjs";
import { SetUpError } from "../../bindings/toolchain/setup.mjs";
import { buildAll, TOP } from "./builds.mjs";
import { contenders, idOf } from "./contenders.mjs";
import { FIGURES } from "./figures/all.mjs";
import { FULL, measureGroup, QUICK } from "./measure.mjs";
import { Opener } from "./open.mjs";
import { isNeeded, ratiosOf } from "./ratios.mjs";
import { choose, UsageError } from "./selection.mjs";
import { GROUPS } from "./shapes.mjs";
import { print } from "./table.mjs";

const REPORT = join(TOP, "build", "bench.json");
// The fastest formulations of the peers, as the last run found them.
const FORMULATIONS = join(TOP, "build", "bench-formulations.json");

async function main() {
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      only: { type: "string", multiple: true, default: [] },
    },
  });
  const { quick, json, only } = values;
  const built = await buildAll();
  const known = contenders(built);
  const { groups, figures, chosen } = choose(only, GROUPS, FIGURES, known);
  // A quick run of everything measures what the ratios need.
  const spare = quick && only.length === 0;
  const takes = ({ contender }, shape) =>
    contender.takes(shape) && (!spare || Boolean(shape.probe) || isNeeded(contender, shape));
  const opener = new Opener(built);

  const reference = await opener.open(known[0]);
  const entries = await openAll(
    chosen.filter((contender) => groups.flat().some((shape) => takes({ contender }, shape))),
    opener,
  );
  const settings = quick ? QUICK : FULL;
  const formulations = quick ? remembered() : new Map();
  const context = { reference, settings, formulations, takes, say: progress };
  const measured = [];
  for (const shapes of groups) {
    const names = shapes.map(({ name }) => name).join(", ");
    measured.push(...(await timed(names, () => measureGroup(shapes, entries, context))));
  }
  const names = groups.flat().map(({ name }) => name);
  measured.sort((a, b) => names.indexOf(a.shape) - names.indexOf(b.shape));
  for (const { connection } of entries) await connection.close();
  writeFileSync(FORMULATIONS, JSON.stringify([...remembered(), ...formulations], null, 2));

  const results = measured.map(({ samples, work, ...line }) => line);
  const ratios = ratiosOf(measured);
  let mechanisms;
  for (const { names, measure } of figures) {
    const options = { built, chosen, opener, quick, say: progress };
    const figure = await timed(names.join(", "), () => measure(options));
    results.push(...figure.results);
    ratios.push(...figure.ratios);
    mechanisms ??= figure.mechanisms;
  }
  const { absent } = opener;
  const date = new Date().toISOString().slice(0, 10);
  const report = {
    date,
    machine: machine(),
    versions: versionsOf(entries),
    results,
    ratios,
    absent,
    mechanisms,
  };
  writeFileSync(REPORT, `${JSON.stringify(report, null, 2)}\n`);
  if (json) console.log(JSON.stringify(report, null, 2));
  else print(report);
  await opener.close();
}

function remembered() {
  return new Map(existsSync(FORMULATIONS) ? JSON.parse(readFileSync(FORMULATIONS, "utf8")) : []);
}

async function openAll(chosen, opener) {
  const entries = [];
  for (const contender of chosen) {
    const connection = await opener.tryOpen(contender);
    if (connection) entries.push({ contender, connection });
  }
  return entries;
}

function machine() {
  const [{ model } = { model: "unknown" }] = cpus();
  return {
    processor: model,
    cores: cpus().length,
    memoryBytes: totalmem(),
    system: `${type()} ${arch()}`,
  };
}

function versionsOf(entries) {
  const versions = { node: process.version };
  for (const { contender, connection } of entries) {
    const { version, backend } = connection.info;
    if (version && !contender.name.startsWith("machine"))
      versions[contender.family.split(" ")[0]] = version;
    if (backend) versions.backend = backend;
  }
  return versions;
}

async function timed(title, action) {
  const start = performance.now();
  const result = await action();
  progress("");
  note(`${title}: ${((performance.now() - start) / 1000).toFixed(0)} s`);
  return result;
}

// One line that is written over, on a terminal.
function progress(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

// What says enough by its message alone.
function isForPeople(error) {
  const said = error instanceof SetUpError || error instanceof UsageError;
  return said || String(error.code).startsWith("ERR_PARSE_ARGS");
}

main().then(
  () => process.exit(),
  (error) => {
    console.error(isForPeople(error) ? error.message : error);
    process.exit(1);
  },
);
