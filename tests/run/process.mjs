// A program whose output is shown as it comes.
import { spawn } from "node:child_process";

// Gives the exit code; a program that cannot be started is an error.
export function show(command, args, { cwd, env = {}, quiet = false } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", quiet ? "ignore" : "inherit", "inherit"],
    });
    child.on("error", (error) => reject(new Error(`cannot run ${command}: ${error.message}`)));
    child.on("close", (code, signal) => resolve(code ?? `signal ${signal}`));
  });
}
