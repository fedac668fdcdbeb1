// The page about speed: what it shows is what was recorded, and measuring again really measures.
import { readFileSync } from "node:fs";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ratio, Report, Result } from "../../web/src/exhibits/speed/report";
import { LANGUAGES, launch, numberIn, spoken, visit } from "./support/browser";
import { MESSAGES } from "./support/messages";

const RECORDED = new URL("../bench/recorded.json", import.meta.url);
const recorded = JSON.parse(readFileSync(RECORDED, "utf8")) as Report;
const NO_CALLS = ["fma", "copy", "read", "load", "first-call", "worker", "transfer"];
const calls = recorded.results.filter(({ shape }) => !NO_CALLS.includes(shape));
const shapes = [...new Set(calls.map(({ shape }) => shape))];
const t = MESSAGES.en.speed;

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

/** Milliseconds of "13.1 ms" or "48.2 µs". */
function milliseconds(text: string): number {
  const [number, unit] = text.trim().split(" ");
  expect(["ms", "µs"]).toContain(unit);
  return numberIn(number!) / (unit === "µs" ? 1000 : 1);
}

/** Equal to three significant digits, which is what the page shows. */
function expectShown(shown: number, value: number, what: string): void {
  const apart = Math.abs(shown / value - 1);
  expect(apart, `${what}: ${shown} for ${value}`).toBeLessThanOrEqual(0.00501);
}

const cellsOf = (table: Locator): Promise<string[][]> =>
  table.evaluate((element) =>
    Array.from(element.querySelectorAll("tbody tr"), (row) =>
      Array.from(row.children, (cell) => (cell.textContent ?? "").trim()),
    ),
  );

describe("the recorded report", () => {
  it("is drawn and listed, call by call", async () => {
    const { page, problems, close } = await visit(browser, "?chapter=speed&lang=en");
    await page.getByText(t.table).click();
    expect(await page.locator("#speed select option").count()).toBe(shapes.length);
    for (const shape of shapes) {
      await page.locator("#speed select").selectOption(shape);
      const results = calls.filter((result) => result.shape === shape);
      const rows = await cellsOf(page.locator("#speed .first table"));
      expect(rows.map(([who, threads]) => `${who} ${threads}`)).toEqual(
        results.map(({ contender, threads }) => `${contender} ${threads}`),
      );
      results.forEach((result, i) => expectRow(rows[i]!, result));
      await expectBars(page, results);
    }
    expect(problems).toEqual([]);
    await close();
  });

  function expectRow([, , ...cells]: string[], result: Result): void {
    const { contender, shape, firstMs, medianMs, gflops, gbPerSecond, error } = result;
    const what = `${contender}, ${shape}`;
    if (error !== undefined) {
      expect(cells).toEqual([error]);
      return;
    }
    expectShown(milliseconds(cells[0]!), firstMs!, what);
    expectShown(milliseconds(cells[1]!), medianMs!, what);
    if (gflops) expectShown(numberIn(cells[3]!), gflops, what);
    if (gbPerSecond) expectShown(numberIn(cells[4]!), gbPerSecond, what);
  }

  async function expectBars(page: Page, results: readonly Result[]): Promise<void> {
    const bars = await page.locator("[data-bar]").evaluateAll((items) =>
      items.map((item) => {
        const id = (item as HTMLElement).dataset["bar"]!;
        const value = item.querySelector(".number")!.textContent!;
        const bar = item.querySelector<HTMLElement>(".bar");
        return { id, value, width: bar && Number.parseFloat(bar.style.width) };
      }),
    );
    expect(bars.map(({ id }) => id).sort()).toEqual(
      results.map(({ contender, threads }) => `${contender} ${threads}`).sort(),
    );
    const widths: number[] = [];
    for (const { contender, threads, medianMs, error } of results) {
      const { value, width } = bars.find(({ id }) => id === `${contender} ${threads}`)!;
      if (medianMs === undefined) {
        expect(value).toBe(error);
        expect(width).toBeNull();
      } else {
        expectShown(milliseconds(value), medianMs, contender);
        widths.push(width! * medianMs);
      }
    }
    // As long as they are fast, all on one scale, and none beyond its end. The browser gives a style
    // back with six digits, which is within half a unit of the sixth, 5e-6 of it at most.
    for (const product of widths) {
      expect(Math.abs(product / widths[0]! - 1)).toBeLessThanOrEqual(2 * 5.01e-6);
    }
    for (const { width } of bars) expect(width ?? 0).toBeLessThanOrEqual(100);
  }

  it("says how many times as fast as onnxruntime", async () => {
    const { page, close } = await visit(browser, "?chapter=speed&lang=en&shape=bert");
    const time = (contender: string) =>
      calls.find(
        (result) =>
          result.shape === "bert" && result.contender === contender && result.threads === 1,
      )!.medianMs!;
    const pairs = [
      ["qkv native", "onnxruntime-node"],
      ["qkv wasm relaxed", "onnxruntime-web"],
      ["qkv wasm relaxed, Chromium", "onnxruntime-web, Chromium"],
    ] as const;
    for (const [ours, theirs] of pairs) {
      const note = page.locator(`[data-bar="${ours} 1"] .note`);
      const shown = (await note.textContent())!.replace("×", "");
      expectShown(numberIn(shown), time(theirs) / time(ours), ours);
    }
    await close();
  });

  it("has the machine's limit as a line, where it is near", async () => {
    const { page, close } = await visit(browser, "?chapter=speed&lang=en&shape=long");
    const find = (shape: string, contender: string) =>
      recorded.results.find(
        (result) =>
          result.shape === shape && result.contender === contender && result.threads === 1,
      )!;
    const ours = find("long", "qkv native");
    const group = page.locator('[data-group="native"]');
    const line = group.locator("[data-bar='qkv native 1'] .line");
    const width = (locator: Locator, side: "left" | "width") =>
      locator.evaluate((element, name) => Number.parseFloat(element.style[name]), side);
    const share =
      (await width(group.locator("[data-bar='qkv native 1'] .bar"), "width")) /
      (await width(line, "left"));
    expect(share).toBeCloseTo(ours.gflops! / find("fma", "machine native").gflops!, 4);
    // Where memory is what a call waits for, the line is how fast that is read.
    await page.locator("#speed select").selectOption("decode");
    const browserBar = page.locator("[data-bar='qkv wasm simd128, Chromium 1']");
    const read = find("read", "machine native").gbPerSecond!;
    expect(
      (await width(browserBar.locator(".bar"), "width")) /
        (await width(browserBar.locator(".line"), "left")),
    ).toBeCloseTo(find("decode", "qkv wasm simd128, Chromium").gbPerSecond! / read, 4);
    await page.locator("#speed select").selectOption("3x3");
    await page.locator('[data-group="native"]').waitFor();
    expect(await page.locator(".line").count()).toBe(0);
    await close();
  });

  it("shows every ratio with its aim, and whether it was reached", async () => {
    const { page, problems, close } = await visit(browser, "?chapter=speed&lang=en");
    await page.locator("details.ratios:not([open]) > summary").first().click();
    await page.locator("details.ratios:not([open]) > summary").click();
    const rows = await cellsOf(page.locator("main"));
    const shown = rows.filter((row) => row.length === 3);
    expect(shown.length).toBe(recorded.ratios.length);
    // Each by its number: the names are in the page's own words.
    const numbers = (list: readonly string[]) => [...list].sort();
    expect(numbers(shown.map(([, value]) => value!))).toEqual(
      numbers(recorded.ratios.map((ratio) => written(ratio))),
    );
    const count = (verdict: string) => shown.filter(([, , aim]) => aim!.endsWith(verdict)).length;
    const missed = recorded.ratios.filter(isMissed).length;
    expect(count(t.verdicts.missed)).toBe(missed);
    // No name of the report that the page has no words for.
    expect(await page.locator('details.ratios th[lang="en"]').count()).toBe(0);
    expect(problems).toEqual([]);
    await close();
  });

  function isMissed({ value, reach, dream, higherIsBetter }: Ratio): boolean {
    const aim = reach ?? dream;
    return aim !== null && (higherIsBetter ? value < aim : value > aim);
  }

  /** As the page has to write it. */
  function written({ name, value, reach, dream }: Ratio): string {
    const unit = /^ms /.test(name)
      ? " ms"
      : /microseconds/.test(name)
        ? " µs"
        : /MiB/.test(name)
          ? " MiB"
          : /^frames/.test(name)
            ? ""
            : /share of|bytes a second|over full|over none/.test(name)
              ? " %"
              : "×";
    const text = (number: number, digits: number) =>
      `${(unit === " %" ? 100 * number : number).toLocaleString("en", {
        maximumSignificantDigits: digits,
      })}${unit}`;
    let digits = 3;
    const alike = () =>
      [reach, dream].some(
        (aim) => aim !== null && aim !== value && text(aim, digits) === text(value, digits),
      );
    while (alike()) digits += 1;
    return text(value, digits);
  }

  it("says on which machine, and with what", async () => {
    const { page, close } = await visit(browser, "?chapter=speed&lang=en");
    const facts = await page.locator("#speed dl").innerText();
    expect(facts).toContain(recorded.machine.processor);
    for (const version of Object.values(recorded.versions)) expect(facts).toContain(version);
    for (const { contender, reason } of recorded.absent) {
      const line = page.locator("#speed li", { hasText: `${contender} on` }).first();
      expect(await line.textContent()).toContain(reason);
    }
    await close();
  });
});

const QUICK = "?chapter=speed&lang=en&shape=small&seconds=2";
const MEASURED = 6;
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const measuring = (page: Page) =>
  page.workers().filter((worker) => worker.url().includes("measuring-worker")).length;
/** The workers of the page itself: where its core has threads, those. */
async function ownWorkers(page: Page): Promise<number> {
  await button(page, t.measure).waitFor();
  return page.workers().length;
}
/** Neither a measuring worker is left, nor a thread that one has started. */
async function expectWorkers(page: Page, count: number): Promise<void> {
  await expect.poll(() => page.workers().length, { timeout: 5000 }).toBe(count);
  expect(measuring(page)).toBe(0);
}
const exhibit = (page: Page) => page.locator("#speed");
const ownRows = (page: Page) => cellsOf(page.getByRole("group", { name: t.ownTable }));

describe("measuring on this machine", () => {
  it("measures, says how far it is, and draws the bars", async () => {
    const { page, problems, close } = await visit(browser, QUICK);
    const workers = await ownWorkers(page);
    await button(page, t.measure).click();
    const bar = page.getByRole("progressbar", { name: t.progress });
    await bar.waitFor();
    await expect.poll(() => bar.getAttribute("aria-valuetext")).toMatch(/^\d+ %: .+; qkv simd128/);
    expect(measuring(page)).toBe(1);
    // The page goes on meanwhile: it draws frames.
    const frames = await page.evaluate(
      () =>
        new Promise<number>((done) => {
          const end = performance.now() + 500;
          let count = 0;
          const next = () => (performance.now() < end ? requestAnimationFrame(step) : done(count));
          const step = () => {
            count += 1;
            next();
          };
          next();
        }),
    );
    expect(frames).toBeGreaterThan(5);
    await exhibit(page).getByText(t.finished).waitFor({ timeout: 50_000 });
    await expectWorkers(page, workers);

    const rows = await ownRows(page);
    const ways = new Set(rows.map(([, way]) => way));
    expect(ways.has("qkv simd128, 1 thread")).toBe(true);
    expect(rows.length).toBe(MEASURED * ways.size);
    for (const [call, way, first, steady, flops, samples] of rows) {
      const what = `${call}, ${way}`;
      expect(milliseconds(first!), what).toBeGreaterThan(0);
      expect(milliseconds(steady!), what).toBeGreaterThan(0);
      expect(numberIn(flops!), what).toBeGreaterThan(0);
      expect(numberIn(samples!), what).toBeGreaterThan(0);
    }
    // Times grow with the work: 2048 tokens against 3.
    const steady = (call: string) =>
      milliseconds(rows.find(([name]) => name === call)![3]!);
    expect(steady(t.shapes.long)).toBeGreaterThan(100 * steady(t.shapes["3x3"]));

    const now = page.locator('[data-group="now"] .bar');
    expect(await now.count()).toBe(ways.size);
    const [, , first, later] = rows.find(([name]) => name === t.shapes.small)!;
    const drawn = page.locator('[data-group="now"] .value').first();
    expect(await drawn.locator(".number").textContent()).toBe(later);
    expect(await drawn.locator(".note").textContent()).toBe(t.firstShort(first!));
    await spoken(page, t.finished);
    expect(problems).toEqual([]);
    await close();
  });

  it("stops at once, keeps what there is, and leaves no worker", async () => {
    const { page, problems, close } = await visit(
      browser,
      "?chapter=speed&lang=en&shape=small&seconds=30",
    );
    const workers = await ownWorkers(page);
    await button(page, t.measure).click();
    await page.locator('[data-group="now"] .bar').waitFor({ timeout: 30_000 });
    await button(page, t.stop).click();
    await exhibit(page).getByText(t.stopped).waitFor();
    await expectWorkers(page, workers);
    const rows = await ownRows(page);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.length).toBeLessThan(MEASURED);
    expect(await page.getByRole("progressbar").count()).toBe(0);
    expect(problems).toEqual([]);
    await close();
  });

  it("ends with the visit of another chapter", async () => {
    const { page, close } = await visit(browser, QUICK);
    const workers = await ownWorkers(page);
    await button(page, t.measure).click();
    await expect.poll(() => measuring(page)).toBe(1);
    await page.getByRole("link", { name: MESSAGES.en.position.title }).first().click();
    await page.getByRole("heading", { level: 1, name: MESSAGES.en.position.title }).waitFor();
    await expectWorkers(page, workers);
    await close();
  });

  it("starts and stops by keyboard alone", async () => {
    const { page, close } = await visit(browser, QUICK);
    const workers = await ownWorkers(page);
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim());
    for (let i = 0; i < 60 && (await focused()) !== t.measure; i += 1) {
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Enter");
    await page.getByRole("progressbar").waitFor();
    await spoken(page, t.starting);
    expect(await focused()).toBe(t.stop);
    await page.keyboard.press("Enter");
    await expectWorkers(page, workers);
    expect(await focused()).toBe(t.measure);
    await close();
  });

  it("says why it cannot, when the worker does not start", async () => {
    const { page, close } = await visit(browser, QUICK, {
      own: {},
      before: (page) =>
        page.route(/measuring-worker/, (route) => route.fulfill({ status: 404, body: "" })),
      expected: /measuring-worker/,
    });
    const workers = await ownWorkers(page);
    await button(page, t.measure).click();
    await exhibit(page).getByText(t.failed).waitFor();
    await expectWorkers(page, workers);
    await button(page, t.measure).waitFor();
    await close();
  });

  it("says quietly that there are no threads without isolation", async () => {
    const { page, close } = await visit(browser, QUICK, {
      own: {},
      before: (page) =>
        page.route(/\?chapter=speed/, async (route) => {
          const response = await route.fetch();
          const headers = { ...response.headers() };
          delete headers["cross-origin-opener-policy"];
          delete headers["cross-origin-embedder-policy"];
          await route.fulfill({ response, headers });
        }),
    });
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(false);
    await page.getByText(t.notIsolated).waitFor();
    await button(page, t.measure).waitFor();
    await close();
  });
});

it("shows the recorded report even when the core does not load", async () => {
  const { page, problems, close } = await visit(browser, "?chapter=speed&lang=en", {
    own: {},
    before: (page) =>
      page.route(/\.wasm(\?|$)/, (route) => route.fulfill({ status: 404, body: "no" })),
    expected: /\.wasm/,
  });
  expect(await page.locator(".failed blockquote").textContent()).toMatch(/404/);
  await page.getByText(t.withoutCore).waitFor();
  expect(await button(page, t.measure).count()).toBe(0);
  expect(await page.locator(".bar.own").count()).toBeGreaterThan(0);
  expect(problems).toEqual([]);
  await close();
});

it.each(LANGUAGES)("speaks %s", async (language) => {
  const { page, problems, close } = await visit(browser, `?chapter=speed&lang=${language}`);
  const texts = MESSAGES[language].speed;
  await page.getByRole("heading", { level: 1, name: texts.title }).waitFor();
  await page.getByRole("heading", { name: texts.places.native }).waitFor();
  await button(page, texts.measure).waitFor();
  const option = page.locator('#speed option[value="decode"]');
  expect(await option.textContent()).toBe(texts.shapes.decode);
  expect(problems).toEqual([]);
  await close();
});

it.each(["&shape=nowhere", "&seconds=0", "&seconds=100000", "&seconds=two"])(
  "says that the address makes no sense: %s",
  async (entries) => {
    const { page, problems, close } = await visit(browser, `?chapter=speed&lang=en${entries}`);
    const alert = page.getByRole("alert").filter({ hasText: MESSAGES.en.exhibit.addressRefused });
    await alert.waitFor();
    expect(problems).toEqual([]);
    await close();
  },
);

it("keeps the chosen call in the address", async () => {
  const { page, close } = await visit(browser, "?chapter=speed&lang=en");
  await page.locator("#speed select").selectOption("long");
  await expect.poll(() => new URL(page.url()).searchParams.get("shape")).toBe("long");
  await close();
});
