// Masks that people know: their golden pairs, what they do to weights and outputs, and their reach.
import { load, mask } from "qkv";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compute as shownOf, presetOf } from "../../web/src/exhibits/mask-presets/compute";
import { codec as presetCodec, PRESETS, valueOf } from "../../web/src/exhibits/mask-presets/state";
import { compute as reachesOf, NEVER, searched } from "../../web/src/exhibits/mask-reach/compute";
import { codec as reachCodec } from "../../web/src/exhibits/mask-reach/state";
import { compute as paintedOf } from "../../web/src/exhibits/paint-mask/compute";
import { codec as paintCodec } from "../../web/src/exhibits/paint-mask/state";
import { Calculator } from "../../web/src/lib/calculator";
import { fromRows } from "../../web/src/lib/matrix";
import { grid, LANGUAGES, launch, numberIn, numbersOf, spoken, visit } from "./support/browser";
import { MESSAGES } from "./support/messages";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const en = MESSAGES.en.masks;
const open = (query: string) => visit(browser, `?chapter=masks&lang=en${query}`);

const fact = (page: Page, exhibit: string, id: string) =>
  page.locator(`#${exhibit} [data-fact="${id}"] dd`).textContent();

/** The cells of a table, the heads of its rows with them. */
async function cellsOf(page: Page, name: string): Promise<string[][]> {
  const table = page.getByRole("table", { name });
  await table.waitFor();
  return table
    .locator("tbody tr")
    .evaluateAll((rows) =>
      rows.map((row) => Array.from(row.querySelectorAll("th, td"), (cell) => cell.textContent.trim())),
    );
}

describe.each(LANGUAGES)("the masks in %s", (language) => {
  const t = MESSAGES[language].masks;

  it("have the golden pairs", async () => {
    const { page, problems, close } = await visit(browser, `?chapter=masks&lang=${language}`);
    const rows = await cellsOf(page, t.paint.countsTable);
    expect(rows.map(([name, short, long]) => [name, short, long])).toEqual([
      [t.paint.rows.full, "256", "1,048,576"],
      [t.paint.rows.causal, "136", "524,800"],
      [t.paint.rows.local, "46", "3,070"],
      [t.paint.rows.stride, "44", "3,068"],
      [t.paint.rows.global, "60", "4,092"],
      [t.paint.rows.painted, "124", "9,196"],
    ]);
    expect(await fact(page, "paint-mask", "pairs")).toBe("124");
    expect(await fact(page, "head-masks", "sum")).toBe("150");
    expect(await fact(page, "head-masks", "union")).toBe("124");
    expect(problems).toEqual([]);
    await close();
  });

  it("leave pairs out before softmax", async () => {
    const { page, close } = await visit(browser, `?chapter=masks&lang=${language}`);
    const weights = await numbersOf(grid(page, t.masked.weights));
    // The golden numbers of the causal mask on the worked example.
    const golden = [
      [1, 0, 0],
      [6.144175e-6, 0.9999939, 0],
      [2.953872e-4, 0.8805369, 0.1191677],
    ];
    golden.forEach((row, i) => row.forEach((w, j) => expect(weights[i]![j]).toBeCloseTo(w, 4)));
    const output = await numbersOf(grid(page, t.masked.output));
    expect(output[0]).toEqual([1, 2, 3]);
    expect(output[1]![2]).toBeCloseTo(1.843252e-5, 7);
    await page.getByRole("radio", { name: t.masked.wayNames.zero }).check();
    // softmax(2, 0, 0)
    await expect
      .poll(async () => (await numbersOf(grid(page, t.masked.weights)))[0])
      .toEqual([0.787, 0.1065, 0.1065]);
    await close();
  });

  it("reach across in as many layers by search as by a change", async () => {
    const { page, close } = await visit(browser, `?chapter=masks&lang=${language}`);
    const never = t.reach.never;
    const rows = await cellsOf(page, t.reach.allTable);
    for (const [, search, change, anySearch, anyChange] of rows) {
      expect(change).toBe(search);
      expect(anyChange).toBe(anySearch);
    }
    const { masks } = t.reach;
    const layers = Object.fromEntries(rows.map(([name, one, , any]) => [name, [one, any]]));
    expect(layers[masks.full]).toEqual(["1", "1"]);
    expect(layers[masks.causal]).toEqual(["1", never]);
    expect(layers[masks.local]).toEqual(["15", "15"]);
    expect(layers[masks.stride]).toEqual([never, never]);
    expect(layers[masks.localStride]).toEqual(["8", "8"]);
    expect(layers[masks.global]).toEqual(["1", "2"]);
    expect(layers[masks.longformer]).toEqual(["1", "2"]);
    await page.getByText(t.reach.agree("0", "2,048"), { exact: true }).waitFor();
    await close();
  });
});

describe("by themselves", () => {
  const calculator = async () => new Calculator(await load({ threads: 1 }));

  it("are the parts of a preset as much as the whole", async () => {
    const core = await calculator();
    for (const preset of PRESETS) {
      for (const [tokens, dilation] of [[16, 1], [33, 1], [64, 1], [40, 3]] as const) {
        const state = { ...presetCodec.initial, preset, tokens, dilation };
        const { whole, parts } = presetOf(preset, state);
        const all = mask.or(...parts.map(([, part]) => part));
        const differ = mask.or(mask.and(whole, mask.not(all)), mask.and(all, mask.not(whole)));
        const sizes = { queryLength: tokens, keyLength: tokens };
        expect(core.use((one) => one.maskStats(differ, sizes)).pairs, preset).toBe(0);
        expect(shownOf(core, state).marks.data.filter((mark) => mark > 0).length).toBe(
          shownOf(core, state).pairs,
        );
      }
    }
  });

  it("do not ask Big Bird for more blocks than there are", async () => {
    const core = await calculator();
    for (const tokens of [16, 20, 64]) {
      for (const block of [1, 4, 8]) {
        const state = { ...presetCodec.initial, tokens, block, drawn: 3 };
        expect(valueOf("drawn", state)).toBeLessThanOrEqual(3);
        expect(shownOf(core, state).pairs).toBeGreaterThan(0);
      }
    }
  });

  it("agree in search and change at every length, mask and draw", async () => {
    const core = await calculator();
    for (const length of [8, 17, 48]) {
      for (const luck of [1, 2, 3]) {
        for (const { name, differ } of reachesOf(core, { ...reachCodec.initial, length, luck })) {
          expect(differ, `${name} ${length}`).toBe(0);
        }
      }
    }
  });

  it("are searched from keys to queries", () => {
    // Query 2 sees key 1, query 3 sees key 2; nobody sees back.
    const chain = fromRows([
      [0, 0, 0],
      [1, 0, 0],
      [0, 1, 0],
    ]);
    expect([...searched(chain).data]).toEqual([0, NEVER, NEVER, 1, 0, NEVER, 2, 1, 0]);
  });

  it("give zeros to queries that see nothing", async () => {
    const core = await calculator();
    const none = paintedOf(core, { ...paintCodec.initial, use: [] });
    expect(none.pairs).toBe(0);
    expect(none.blind).toBe(16);
    expect(none.output.data.every((value) => value === 0)).toBe(true);
  });

  it("are nothing but full attention when every pair is allowed", async () => {
    const core = await calculator();
    const turned = Array.from({ length: 256 }, (_, i) => [i >> 4, i & 15] as const);
    const full = paintedOf(core, { ...paintCodec.initial, use: [], turned });
    expect(full.pairs).toBe(256);
    expect(full.worst).toBeLessThan(1e-6);
  });
});

it("paints single pairs by keyboard and by a click", async () => {
  const { page, problems, close } = await open("");
  const map = page.getByRole("application", { name: en.paint.description(124, 16) });
  await map.focus();
  await spoken(page, "query 1, key 1: local, stride, global");
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowDown");
  await spoken(page, "query 2, key 16: global");
  await page.keyboard.press("Enter");
  await spoken(page, "query 2, key 16: global, removed by hand");
  expect(await fact(page, "paint-mask", "pairs")).toBe("123");
  await expect.poll(() => page.url()).toContain("turned=2-16");
  const changed = page.getByRole("application", { name: en.paint.description(123, 16) });
  const box = (await changed.boundingBox())!;
  // The middle of the cell of query 16 and key 4.
  await changed.click({ position: { x: (3.5 * box.width) / 16, y: (15.5 * box.height) / 16 } });
  await expect.poll(() => page.url()).toMatch(/turned=2-16(?:,|%2C)16-4/);
  expect(await fact(page, "paint-mask", "pairs")).toBe("124");
  await page.locator("#paint-mask").getByRole("button", { name: MESSAGES.en.exhibit.undo }).click();
  expect(await fact(page, "paint-mask", "pairs")).toBe("123");
  expect(problems).toEqual([]);
  await close();
});

it("goes on without any pattern", async () => {
  const { page, problems, close } = await open("&use=");
  expect(await fact(page, "paint-mask", "pairs")).toBe("0");
  expect(await fact(page, "paint-mask", "blind")).toBe("16");
  expect(numberIn((await fact(page, "paint-mask", "worst"))!)).toBeGreaterThan(0.1);
  expect(problems).toEqual([]);
  await close();
});

it("gives each head its mask", async () => {
  const { page, problems, close } = await open("&heads=full,local-0");
  expect(await fact(page, "head-masks", "sum")).toBe("272");
  expect(await fact(page, "head-masks", "union")).toBe("256");
  await page.getByRole("combobox", { name: en.heads.head(1) }).selectOption("global");
  expect(await fact(page, "head-masks", "sum")).toBe("76");
  await page.locator("#head-masks").getByRole("radio", { name: "4" }).check();
  await expect.poll(() => page.url()).toMatch(/heads=global-2(?:,|%2C)local-0/);
  expect(problems).toEqual([]);
  await close();
});

it("counts the pairs of published settings", async () => {
  const { page, close } = await open("&long=1024");
  const table = await cellsOf(page, en.presets.arenaTable("1,024"));
  const pairs = Object.fromEntries(table.map(([name, , count]) => [name, count]));
  expect(pairs).toEqual({
    full: "1,048,576",
    // 51 blocks of 20, and one of 4.
    local: "20,416",
    // n(2w + 1) - w(w + 1)
    Longformer: "459,520",
    // 8 blocks of 128 × 129 / 2, and 28 pairs of blocks of 128 × 32.
    "Sparse Transformer, fixed": "180,736",
    // 142 pairs of blocks of 64 × 64.
    "Big Bird": "581,632",
  });
  await close();
});

it.each([
  ["strided", "&every=4&tokens=16", "82"],
  ["fixed", "&every=4&tokens=16", "64"],
  ["longformer", "&window=1&globals=1&tokens=16", "74"],
])("draws %s", async (preset, entries, pairs) => {
  const { page, problems, close } = await open(`&preset=${preset}${entries}`);
  expect(await fact(page, "mask-presets", "pairs")).toBe(pairs);
  expect(problems).toEqual([]);
  await close();
});

it("sends a change back only where the mask lets it", async () => {
  const { page, close } = await open("&over=causal&from=16&to=1");
  expect(await fact(page, "mask-reach", "search")).toBe(en.reach.never);
  expect(await fact(page, "mask-reach", "change")).toBe(en.reach.never);
  await close();
});

it("takes pairs of 0 and 1 only", async () => {
  const { page, close } = await open("");
  await grid(page, en.masked.mask).locator('td[data-row="0"][data-column="2"]').click();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("7");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").filter({ hasText: en.masked.cellTakes }).waitFor();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("1");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.url()).toContain("keep=101110111");
  await close();
});

it("refuses a billion tokens and keeps the last good state", async () => {
  const { page, close } = await open("");
  const exhibit = page.locator("#mask-reach");
  const field = exhibit.getByRole("textbox", { name: en.reach.sliders.length, exact: true });
  await field.fill("1000000000");
  await field.press("Enter");
  const sentence = MESSAGES.en.exhibit.takesNumber(8, 48, 1);
  await exhibit.getByRole("alert").filter({ hasText: sentence }).waitFor();
  expect(await fact(page, "mask-reach", "search")).toBe("15");
  await close();
});

it.each([
  "&keep=12",
  "&use=gl",
  "&turned=17-1",
  "&turned=1-1,1-1",
  "&heads=local-1",
  "&heads=local-99,full",
  "&preset=x",
  "&long=1000",
  "&length=1000000000",
])("leaves %s out and says so", async (entries) => {
  const { page, problems, close } = await open(entries);
  const alert = page.getByRole("alert").filter({ hasText: MESSAGES.en.exhibit.addressRefused });
  await alert.waitFor();
  expect(problems).toEqual([]);
  await close();
});

it("measures the three kernels, and forgets them when the mask changes", async () => {
  const { page, problems, close } = await open("");
  const exhibit = page.locator("#paint-mask");
  await exhibit.getByRole("button", { name: MESSAGES.en.measuring.measure }).click();
  await exhibit.getByText(MESSAGES.en.measuring.finished).waitFor({ timeout: 55_000 });
  await exhibit.getByText(en.paint.timesTable, { exact: true }).click();
  const times = await cellsOf(page, en.paint.timesTable);
  for (const [, ...cells] of times) for (const cell of cells) expect(cell).toMatch(/^[\d.,]+ ms$/);
  const [, full, bias, tiles] = times.at(-1)!.map((cell) => numberIn(cell.replace(" ms", "")));
  // What follows the mask is much faster; what adds it as a bias is not.
  expect(tiles!).toBeLessThan(full! / 2);
  expect(bias!).toBeGreaterThan(tiles!);
  await exhibit.getByRole("checkbox", { name: en.paint.checks.stride }).uncheck();
  await expect
    .poll(async () => (await cellsOf(page, en.paint.timesTable)).flat())
    .toContain(MESSAGES.en.measuring.none);
  expect(problems).toEqual([]);
  await close();
});

it("can be stopped", async () => {
  const { page, close } = await open("");
  const exhibit = page.locator("#paint-mask");
  await exhibit.getByRole("button", { name: MESSAGES.en.measuring.measure }).click();
  await exhibit.getByRole("button", { name: MESSAGES.en.measuring.stop }).click();
  await expect
    .poll(() => exhibit.locator(".measure").getAttribute("data-phase"))
    .toBe("stopped");
  await close();
});

it("checks the answers to its questions", async () => {
  const { page, close } = await open("");
  for (const [id, answer] of [
    ["zero", "78.7 %"],
    ["local", "494"],
    ["global", "375"],
    ["reach", "13"],
  ] as const) {
    const form = page.locator(`[data-question="${id}"]`);
    await form.getByRole("textbox").fill(answer);
    await form.getByRole("button", { name: MESSAGES.en.questions.check }).click();
    await expect.poll(() => form.getAttribute("data-verdict")).toBe("right");
  }
  await close();
});

it("fits a narrow screen", async () => {
  const { page, close } = await visit(browser, "?chapter=masks&lang=en", { width: 360 });
  await page.locator("#mask-reach").waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await close();
});
