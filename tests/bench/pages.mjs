// Contenders in pages of the machine's Chromium, as ChildConnection is for processes. The
// repository is served with the headers of the tutorial's page, so that threads may share memory.
import { chromium } from "playwright-core";
import { serve } from "../../web/server.mjs";
import { TOP } from "./builds.mjs";

// Without a sandbox, which a container may not allow; nothing is fetched in the background.
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export class Browser {
  #starting;
  #executablePath;

  constructor(executablePath) {
    this.#executablePath = executablePath;
  }

  // A fresh page: a context of its own shares neither process nor cache with another.
  async page() {
    this.#starting ??= this.#start();
    const { browser, url } = await this.#starting;
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${url}tests/bench/page/`);
    return page;
  }

  async #start() {
    const [browser, { url }] = await Promise.all([
      chromium.launch({ executablePath: this.#executablePath, args: FLAGS }),
      serve({ folder: TOP, port: 0 }),
    ]);
    return { browser, url };
  }

  async close() {
    await (await this.#starting)?.browser.close();
  }
}

export class PageConnection {
  #page;

  static async open(browser, module, options) {
    const connection = new PageConnection();
    connection.#page = await browser.page();
    await connection.#page.waitForFunction(() => "startContender" in globalThis);
    connection.info = await connection.#page.evaluate(
      ([module, options]) => globalThis.startContender(module, options),
      [module, options],
    );
    return connection;
  }

  async send(message) {
    const { error, ...answer } = await this.#page.evaluate((m) => globalThis.answer(m), message);
    if (error !== undefined) throw new Error(error);
    return answer;
  }

  async output(name) {
    const bytes = Buffer.from((await this.send({ do: "output", name })).output, "base64");
    return new Float32Array(
      bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
    );
  }

  async close() {
    await this.#page.context().close();
  }
}
