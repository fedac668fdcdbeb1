// Contenders in processes of their own. A connection sends one message at a time and gets the
// answer of each; it is the same for a page, see pages.mjs.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const children = new Set();
const folder = mkdtempSync(join(tmpdir(), "qkv-bench-"));

process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => process.exit(1));
}

export class ChildConnection {
  #child;
  #waiting = null;
  #complaints = "";
  #ended = null;
  #file;

  // Starts the program and waits for its first line, which tells about it.
  static async open([command, ...args]) {
    const connection = new ChildConnection();
    connection.info = await connection.#start(command, args);
    return connection;
  }

  #start(command, args) {
    const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] });
    this.#child = child;
    children.add(child);
    this.#file = join(folder, `output-${child.pid}`);
    child.stderr.setEncoding("utf8").on("data", (text) => {
      this.#complaints = (this.#complaints + text).slice(-2000);
    });
    createInterface({ input: child.stdout }).on("line", (line) => this.#settle("resolve", line));
    child.stdin.on("error", () => {}); // the end of the process says more
    const end = (reason) => {
      children.delete(child);
      const last = this.#complaints.trim().split("\n").at(-1);
      this.#ended = new Error(last ? `${reason}: ${last}` : reason);
      this.#settle("reject", this.#ended);
    };
    child.on("error", (error) => end(error.message));
    child.on("close", (code, signal) => end(`ended with ${signal ?? code}`));
    return this.#answer();
  }

  #settle(how, value) {
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.[how](value);
  }

  async #answer() {
    const line = await new Promise((resolve, reject) => (this.#waiting = { resolve, reject }));
    const { error, ...answer } = JSON.parse(line);
    if (error !== undefined) throw new Error(error);
    return answer;
  }

  async send(message) {
    if (this.#ended) throw this.#ended;
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
    return this.#answer();
  }

  async output(name) {
    await this.send({ do: "output", name, file: this.#file });
    const bytes = readFileSync(this.#file);
    rmSync(this.#file);
    return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  }

  close() {
    this.#child.kill("SIGKILL");
    children.delete(this.#child);
  }
}
