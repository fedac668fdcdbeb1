// `npm run bench`: how fast qkv is, beside its peers and beside what the machine can do. Prints tables
// and writes build/bench.json.
//
//   npm run bench                            everything
//   npm run bench -- --quick                 fewer and shorter samples
//   npm run bench -- --only long             one shape, of shapes.mjs; may be repeated
//   npm run bench -- --only native           contenders with this word, or words, in their names
//   npm run bench -- --only bert --only "wasm relaxed" --only onnxruntime-web
//   npm run bench -- --json                  prints build/bench.json instead of tables
//
// Times are ratios within one run: the machine may be shared and noisy. How it is measured, and what
// the ratios mean: README.md beside this file.
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { note } from "../../bindings/toolchain/progress.mjs";
import { SetUpError } from "../../bindings/toolchain/setup.mjs";
import { buildAll, TOP } from "./builds.mjs";
import { contenders, idOf } from "./contenders.mjs";
import { FULL, measureGroup, QUICK } from "./measure.mjs";
import { open } from "./open.mjs";
import { ratiosOf } from "./ratios.mjs";
import { choose } from "./selection.mjs";
import { GROUPS } from "./shapes.mjs";
import { printRatios, printResults } from "./table.mjs";

async function main() {
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      only: { type: "string", multiple: true, default: [] },
    },
  });
  const settings = values.quick ? { ...QUICK, share: true } : FULL;
  const built = await buildAll();
  const { groups, chosen } = choose(values.only, GROUPS, contenders(built));

  const [reference] = await Promise.all([open({ host: "native", command: [built.native, "1"] })]);
  const entries = [];
  const absent = [];
  for (const contender of chosen) {
    try {
      const connection = await open(contender);
      entries.push({ contender, connection });
    } catch (error) {
      absent.push({ contender: contender.name, threads: contender.threads, reason: error.message });
      note(`${idOf(contender)} is absent: ${error.message}`);
    }
  }

  const results = [];
  const formulations = new Map();
  for (const shapes of groups) {
    note(shapes.map(({ name }) => name).join(", "));
    const context = { reference, settings, formulations, say: progress };
    results.push(...(await measureGroup(shapes, entries, context)));
    progress("");
  }
  results.sort((a, b) => order(groups, a) - order(groups, b));
  const ratios = ratiosOf(results);
  const report = {
    machine: { processor: cpus()[0]?.model ?? "unknown", cores: cpus().length, memoryBytes: totalmem() },
    versions: versionsOf(entries),
    results: results.map(({ samples, work, ...line }) => line),
    ratios,
    absent,
  };
  mkdirSync(join(TOP, "build"), { recursive: true });
  writeFileSync(join(TOP, "build", "bench.json"), `${JSON.stringify(report, null, 2)}\n`);
  if (values.json) console.log(JSON.stringify(report));
  else {
    printResults(results);
    printRatios(ratios);
    for (const { contender, threads, reason } of absent) console.log(`absent: ${contender}, ${threads} thread(s): ${reason}`);
  }
}

const order = (groups, line) => groups.flat().findIndex(({ name }) => name === line.shape);

function versionsOf(entries) {
  const versions = { node: process.version };
  for (const { contender, connection } of entries) {
    const { version, backend } = connection.info;
    if (version) versions[contender.family.split(" ")[0]] = version;
    if (backend) versions.backend = backend;
  }
  return versions;
}

// One line that is written over, on a terminal.
function progress(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

main().then(
  () => process.exit(),
  (error) => {
    console.error(error instanceof SetUpError ? error.message : error);
    process.exit(1);
  },
);
