// The course without a network, as an installed app, and on hosts that know nothing of it.
import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BUILT_PAGE } from "../../web/server.mjs";
import { grid, LANGUAGES, launch, numbersOf, visit, type Wish } from "./support/browser";
import { expectClose } from "./support/close";
import { WORKED } from "./support/golden";
import { MESSAGES } from "./support/messages";
import { plainHost, type PlainHost } from "./support/plain-host";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

/** A reader whose browser may keep the course; offline its console tells of the missing network. */
const READER: Wish = {
  own: { serviceWorkers: "allow" },
  expected: /ERR_INTERNET_DISCONNECTED|ServiceWorker script/,
};

const ready = (page: Page) => page.locator("footer .offline").waitFor({ timeout: 30_000 });
const isReady = (page: Page) => page.locator("footer .offline").isVisible();

async function expectWorkedExample(page: Page): Promise<void> {
  const output = grid(page, MESSAGES.en.oneQuery.tensors.output);
  expectClose(await numbersOf(output), WORKED.output, 4);
}

const scripted = async (constant: string): Promise<unknown> => {
  const text = await readFile(join(BUILT_PAGE, "service-worker.js"), "utf8");
  return JSON.parse(new RegExp(`^const ${constant} = (.*);$`, "m").exec(text)![1]!);
};

async function builtFiles(): Promise<string[]> {
  const entries = await readdir(BUILT_PAGE, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".br"))
    .map((entry) => join(entry.parentPath, entry.name).slice(BUILT_PAGE.length + 1));
}

describe("what is kept", () => {
  it("is every file of the page, and nothing else", async () => {
    const files = (await builtFiles()).filter((file) => file !== "service-worker.js");
    const listed = (await scripted("FILES")) as string[];
    expect(listed.map((file) => (file === "" ? "index.html" : file)).sort()).toEqual(files.sort());
  });

  it("is less than 5 MB", async () => {
    const sizes = await Promise.all(
      (await builtFiles()).map(async (file) => (await stat(join(BUILT_PAGE, file))).size),
    );
    const sum = sizes.reduce((a, b) => a + b, 0);
    expect(sum).toBeGreaterThan(1_000_000);
    expect(sum).toBeLessThan(5_000_000);
  });
});

it("opens, computes and is isolated without a network", async () => {
  const { page, problems, close } = await visit(browser, "?lang=en", READER);
  await ready(page);
  await page.context().setOffline(true);

  await page.goto(page.url().replace(/\?.*/, "?chapter=one-query&lang=en&step=sum"));
  await expectWorkedExample(page);

  // Headers are kept: the page is isolated, and has its threads.
  await page.goto(page.url().replace(/\?.*/, "?lang=zh-Hant"));
  const start = MESSAGES["zh-Hant"].start;
  await page.locator("#core-card").getByText(start.passed, { exact: true }).waitFor();
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
  await ready(page);
  expect(problems).toEqual([]);
  await close();
});

it("fetches the rest of the course only after the first exhibit", async () => {
  const order: ("page" | "worker")[] = [];
  // A chapter that is there as a whole at once.
  const { page, close } = await visit(browser, "?chapter=bill&lang=en", {
    ...READER,
    before: async (page) =>
      page.context().on("request", (request) => {
        // Also in the page's name: the script of the worker, and a manifest when the browser likes.
        if (/service-worker\.js|\.webmanifest|icon/.test(request.url())) return;
        order.push(request.serviceWorker() ? "worker" : "page");
      }),
  });
  await page.locator('#square [data-fact="size"]').waitFor();
  await ready(page);
  const first = order.indexOf("worker");
  expect(first).toBeGreaterThan(10);
  expect(order.slice(first)).not.toContain("page");
  expect(order.length - first).toBeGreaterThan(first);
  await close();
});

it("says so in every language, and not before", async () => {
  let go = (): void => {};
  const held = new Promise<void>((done) => (go = done));
  const last = ((await scripted("FILES")) as string[]).find((file) => file.includes("zh-Hant-"))!;
  const { page, close } = await visit(browser, "?lang=en", {
    ...READER,
    before: (page) =>
      page.context().route(`**/${last}`, async (route) => {
        await held;
        await route.continue();
      }),
  });
  // All but one file are there.
  const missing = async () => {
    const [name] = await page.evaluate(() => caches.keys());
    const kept = await page.evaluate(
      async (name) => (name ? (await (await caches.open(name)).keys()).length : 0),
      name,
    );
    return ((await scripted("FILES")) as string[]).length - kept;
  };
  await expect.poll(missing, { timeout: 30_000 }).toBe(1);
  expect(await isReady(page)).toBe(false);
  go();
  await ready(page);
  expect(await missing()).toBe(0);
  for (const language of LANGUAGES) {
    await page.locator(`.languages [lang="${language}"]`).click();
    await page.getByText(MESSAGES[language].app.offlineReady, { exact: true }).waitFor();
  }
  await close();
});

describe("installed as an app", () => {
  it.each(LANGUAGES)("it has its name in %s", async (language) => {
    const { page, close } = await visit(browser, `?lang=${language}`);
    const link = page.locator('link[rel="manifest"]');
    await expect.poll(() => link.getAttribute("href")).toContain(language);
    const href = await link.evaluate((element) => (element as HTMLLinkElement).href);
    const { ok, manifest } = await page.evaluate(async (href) => {
      const response = await fetch(href);
      return { ok: response.ok, manifest: await response.json() };
    }, href);
    expect(ok).toBe(true);
    expect(manifest).toMatchObject({
      name: MESSAGES[language].app.title,
      lang: language,
      display: "standalone",
      start_url: `./?lang=${language}`,
      scope: "./",
    });
    for (const { src } of manifest.icons) {
      expect(await page.evaluate(async (src) => (await fetch(src)).ok, src)).toBe(true);
    }
    await close();
  });
});

describe("on a plain host, in a folder", () => {
  let folder: string;
  let host: PlainHost;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "qkv-host-"));
    await cp(BUILT_PAGE, folder, { recursive: true });
    host = await plainHost(folder);
  });
  afterAll(async () => {
    await host.close();
    await rm(folder, { recursive: true });
  });

  it("runs on one thread, and says why", async () => {
    for (const language of LANGUAGES) {
      const { page, problems, close } = await visit(browser, `?lang=${language}`, {
        url: host.url,
      });
      const t = MESSAGES[language].start;
      const card = page.locator("#core-card");
      const fact = (name: string) =>
        card.locator("div", { has: page.getByText(name, { exact: true }) }).locator("dd");
      expect(await fact(t.facts.threads).textContent()).toBe("1");
      expect(await fact(t.facts.isolated).textContent()).toBe(t.no);
      expect((await fact(t.facts.test).textContent())!.trim()).toBe(t.passed);
      expect(await card.locator(".note").textContent()).toBe(t.oneThread.replaceAll("`", ""));
      expect(problems).toEqual([]);
      await close();
    }
  });

  it("works without a network, in that folder and nowhere else", async () => {
    const { page, close } = await visit(browser, "?lang=en", { ...READER, url: host.url });
    await ready(page);
    const scopes = await page.evaluate(async () =>
      (await navigator.serviceWorker.getRegistrations()).map(({ scope }) => scope),
    );
    expect(scopes).toEqual([host.url]);
    await page.context().setOffline(true);
    // A chapter that was never visited, without opening the page again. What this host sends is not
    // in the browser's own cache.
    const { title } = MESSAGES.en.titles.bill;
    await page.getByRole("link", { name: title }).first().click();
    await page.getByRole("heading", { level: 1, name: title }).waitFor();
    await page.locator(".exhibit").first().waitFor();
    await page.goto(`${host.url}index.html?chapter=one-query&lang=en&step=sum`);
    await expectWorkedExample(page);
    await expect(page.goto(new URL("/", host.url).href)).rejects.toThrow(/DISCONNECTED/);
    await close();
  });

  it("makes room for a new version once no page of the old one is open", async () => {
    const worker = join(folder, "service-worker.js");
    const { page, close } = await visit(browser, "?lang=en", { ...READER, url: host.url });
    await ready(page);
    const names = (of: Page) => of.evaluate(() => caches.keys());
    const [old] = await names(page);
    await page.evaluate(() => caches.open("something else"));

    const text = await readFile(worker, "utf8");
    await writeFile(worker, text.replace(/^const VERSION = ".{16}/, 'const VERSION = "the next one'));
    await page.reload();
    const waiting = () =>
      page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.waiting?.state);
    await expect.poll(waiting, { timeout: 30_000 }).toBe("installed");
    expect(await names(page)).toContain(old);

    const context = page.context();
    await page.close();
    const next = await context.newPage();
    // Any other page of the host will do: it does not hold the old version.
    await next.goto(new URL("/", host.url).href);
    await expect
      .poll(() => names(next), { timeout: 30_000 })
      .toEqual(["something else", old!.replace(/\S+$/, "the next one")]);
    await next.goto(`${host.url}?lang=en`);
    await ready(next);
    await writeFile(worker, text);
    await close();
  });

  it("is not kept when a file is missing", async () => {
    const [file] = (await readdir(join(folder, "assets"))).filter((name) =>
      /^relaxed|^trials-worker.*\.js$/.test(name),
    );
    const path = join(folder, "assets", file!);
    const bytes = await readFile(path);
    await rm(path);
    const { page, close } = await visit(browser, "?lang=en", {
      ...READER,
      expected: /404/,
      url: host.url,
    });
    const state = () =>
      page.evaluate(async () => {
        const registration = await navigator.serviceWorker.getRegistration();
        return registration ? "there" : "gone";
      });
    await expect.poll(state).toBe("there");
    await expect.poll(state, { timeout: 30_000 }).toBe("gone");
    expect(await isReady(page)).toBe(false);
    await writeFile(path, bytes);
    await close();
  });
});
