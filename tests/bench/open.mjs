// Starts contenders: gives a connection, or throws the reason why one cannot take part.
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { note } from "../../bindings/toolchain/progress.mjs";
import { TOP } from "./builds.mjs";
import { CONTENDERS_FOLDER, idOf } from "./contenders.mjs";
import { Browser, PageConnection } from "./pages.mjs";
import { providePeer } from "./peers.mjs";
import { ChildConnection } from "./processes.mjs";
import { findTorch } from "./python.mjs";

// Node 20 knows relaxed SIMD only when told to; later versions always.
const RELAXED =
  Number(process.versions.node.split(".")[0]) < 21 ? ["--experimental-wasm-relaxed-simd"] : [];

export class Opener {
  #browser;

  constructor({ chromium }) {
    this.#browser = new Browser(chromium);
  }

  get browser() {
    return this.#browser;
  }

  // Who could not take part: [{ contender, threads, reason }].
  absent = [];

  // Gives null for a contender that cannot take part, and remembers why.
  async tryOpen(contender) {
    try {
      return await this.open(contender);
    } catch (error) {
      const { name, threads } = contender;
      if (!this.absent.some((one) => one.contender === name && one.threads === threads)) {
        this.absent.push({ contender: name, threads, reason: error.message });
        note(`${idOf(contender)} does not take part: ${error.message}`);
      }
      return null;
    }
  }

  async open(contender) {
    const { host, module } = contender;
    const options = await this.#options(contender);
    const connection =
      host === "chromium"
        ? await PageConnection.open(this.#browser, `./${module}`, options)
        : await ChildConnection.open(await commandOf(contender, options));
    if (connection.info.absent) {
      await connection.close();
      throw new Error(connection.info.absent);
    }
    return connection;
  }

  // With `module`, the place of the library, for contenders written in JavaScript.
  async #options({ host, options, peer, library }) {
    if (library) return { ...options, module: host === "chromium" ? library.page : library.node };
    if (!peer?.entry) return options;
    const { folder, absent } = await providePeer(peer.name);
    if (absent) throw new Error(absent);
    const file = join(folder, peer.entry);
    const module = host === "chromium" ? `/${relative(TOP, file)}` : pathToFileURL(file).href;
    return { ...options, module };
  }

  close() {
    return this.#browser.close();
  }
}

async function commandOf({ host, command, module }, options) {
  if (host === "native") return command;
  const file = (name) => join(CONTENDERS_FOLDER, name);
  if (host === "python") return [await findTorch(), file(module), String(options.threads)];
  return [process.execPath, ...RELAXED, file("node.mjs"), `./${module}`, JSON.stringify(options)];
}
