// `npm start`: sets the machine up, builds the package and the page, shows that the core computes,
// and serves the tutorial until Ctrl-C.
//
//   npm start -- [--port 8080] [--host 127.0.0.1]
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "../bindings/build.mjs";
import { step } from "../bindings/toolchain/progress.mjs";
import { SetUpError } from "../bindings/toolchain/setup.mjs";
import { buildPage } from "./build.mjs";
import { workedExample } from "./example.mjs";
import { DEFAULT_PORT, portOf, serve } from "./server.mjs";

const TOP = fileURLToPath(new URL("..", import.meta.url));

async function start() {
  const { values } = parseArgs({
    options: {
      port: { type: "string", default: String(DEFAULT_PORT) },
      host: { type: "string", default: "127.0.0.1" },
    },
  });

  const port = portOf(values.port);

  await build(); // sets up what is missing first
  await step("page", buildPage);
  const { load } = await import(pathToFileURL(join(TOP, "dist", "index.js")).href);
  console.log(`\n${await workedExample(load)}\n`);

  const server = await serve({ port, host: values.host });
  console.log(`The tutorial is at ${server.url}\nCtrl-C stops it.`);
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.once(signal, () => void server.close().then(() => process.exit(0)));
  }
}

start().catch((error) => {
  // What the reader can put right is said in one sentence; the rest is a mistake to be traced.
  console.error(error instanceof SetUpError ? error.message : error);
  process.exitCode = 1;
});
