// Running other programs. Their output is kept back and only its end is shown, and only on failure:
// a set-up should be a few short lines when all is well, and say why when it is not.
import { spawn } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { SetUpError } from "./errors.mjs";

const SHOWN_LINES = 20;
const KEPT_CHARACTERS = 1 << 16;

// The path of a program, as a shell would find it, or null.
export function findOnPath(name, path = process.env.PATH ?? "") {
  for (const folder of path.split(delimiter).filter(Boolean)) {
    const candidate = join(folder, name);
    try {
      accessSync(candidate, constants.X_OK);
      if (statSync(candidate).isFile()) return candidate;
    } catch {
      // Not here: the next folder may have it.
    }
  }
  return null;
}

// The text as one word of a shell command.
export function shellQuote(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

// Settles when `child` has ended; on failure the error shows the end of what it wrote.
function ending(child, shown) {
  let tail = "";
  const keep = (text) => (tail = (tail + text).slice(-KEPT_CHARACTERS));
  child.stdout?.on("data", keep);
  child.stderr.setEncoding("utf8").on("data", keep);
  return new Promise((resolve, reject) => {
    child.on("error", (error) => reject(new SetUpError(`Cannot run ${shown}: ${error.message}`)));
    child.on("close", (code, signal) => {
      if (code === 0) return resolve();
      const end = code === null ? `was ended by ${signal}` : `failed with exit code ${code}`;
      const lines = tail.trimEnd().split("\n").slice(-SHOWN_LINES);
      reject(new SetUpError(`${shown} ${end}. The end of its output:\n  ${lines.join("\n  ")}`));
    });
  });
}

// Runs a program to its end and gives its standard output. Standard input stays connected, so that
// sudo can ask for a password.
export async function run(command, args, options = {}) {
  const child = spawn(command, args, { ...options, stdio: ["inherit", "pipe", "pipe"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text) => (output += text));
  await ending(child, [command, ...args].join(" "));
  return output;
}

// Runs two programs at once, the output of the first being the input of the second.
export async function pipe([fromCommand, fromArgs], [toCommand, toArgs]) {
  const to = spawn(toCommand, toArgs, { stdio: ["pipe", "ignore", "pipe"] });
  const from = spawn(fromCommand, fromArgs, { stdio: ["ignore", to.stdin, "pipe"] });
  // `from` has its own copy of the pipe's end; ours has to go, or `to` would wait for more for
  // ever.
  to.stdin.destroy();
  await Promise.all([
    ending(from, [fromCommand, ...fromArgs].join(" ")),
    ending(to, [toCommand, ...toArgs].join(" ")),
  ]);
}
