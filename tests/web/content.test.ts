// Dropping small weights, groups of queries and keys, balanced wishes, and measuring them.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { markPath } from "../../web/src/figures/marks";
import { sortedBy } from "../../web/src/exhibits/clusters/compute";
import { beside, fromRows, keptWhere, slice, stacked } from "../../web/src/lib/matrix";
import { expectNoViolations } from "./support/axe";
import { grid, LANGUAGES, launch, numberIn, numbersOf, spoken, visit } from "./support/browser";
import { WORKED } from "./support/golden";
import { MESSAGES } from "./support/messages";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const en = MESSAGES.en.content;
const open = (query: string) => visit(browser, `?chapter=content&lang=en${query}`);

async function fact(page: Page, exhibit: string, id: string): Promise<string> {
  const text = await page.locator(`#${exhibit} [data-fact="${id}"] dd`).first().textContent();
  return text!.trim();
}

function expectClose(found: readonly (readonly number[])[], wanted: typeof found, digits = 4): void {
  expect(found.map((row) => row.length)).toEqual(wanted.map((row) => row.length));
  found.forEach((row, i) =>
    row.forEach((value, j) => expect(value).toBeCloseTo(wanted[i]![j]!, digits)),
  );
}

/** A table under a title that has to be opened first, without its heads. */
async function folded(page: Page, title: string): Promise<number[][]> {
  await page.getByText(title, { exact: true }).first().click();
  const table = page.getByRole("table", { name: title });
  await table.waitFor();
  const rows = await table
    .locator("tbody tr")
    .evaluateAll((all) =>
      all.map((row) => Array.from(row.querySelectorAll("td"), (cell) => cell.textContent)),
    );
  return rows.map((row) => row.map(numberIn));
}

// The first key of row 1 is dropped in each; 2 and 3 tie.
const KEPT_MASS = [[0.4683105308], [0.9820078649], [0.8805369018]];
const ROOT = Math.SQRT2;

describe.each(LANGUAGES)("masks from the data in %s", (language) => {
  const t = MESSAGES[language].content;
  const visitHere = (query: string) =>
    visit(browser, `?chapter=content&lang=${language}${query}`);

  it("keep one weight of each query, and say what a tie does", async () => {
    const { page, problems, close } = await visitHere("");
    expectClose(await numbersOf(grid(page, t.drop.mass)), KEPT_MASS);
    expect(await numbersOf(grid(page, t.drop.weightsTitle.mask))).toEqual([
      [0, 1, 0],
      [0, 1, 0],
      [0, 1, 0],
    ]);
    expect(await numbersOf(grid(page, t.drop.outputTitle))).toEqual([
      [2, 8, 0],
      [2, 8, 0],
      [2, 8, 0],
    ]);
    expectClose(await numbersOf(grid(page, t.drop.exactOutputTitle)), WORKED.output);
    expect(await fact(page, "drop", "pairs")).toBe(t.drop.of("3", "9"));
    // The third value of row 1, which is 1.595 with all weights.
    expect(await fact(page, "drop", "error")).toBe("1.5951");
    await page.getByText(t.drop.worst(1, 3), { exact: true }).waitFor();
    await page.getByText(t.drop.tie(2, 3), { exact: true }).waitFor();
    expect(problems).toEqual([]);
    await close();
  });

  it("keep two weights: the row that the source rounds to, and its gap", async () => {
    const { page, close } = await visitHere("&k=2");
    const output = await numbersOf(grid(page, t.drop.outputTitle));
    expect(output[0]).toEqual(WORKED.printed.output[0]);
    expect(numberIn(await fact(page, "drop", "error"))).toBeCloseTo(0.3169, 4);
    const sums = await numbersOf(grid(page, t.drop.mass));
    expectClose(sums, [[2 * 0.4683105308], [1 - 6.033664855e-6], [1 - 2.95387223e-4]]);
    await close();
  });

  it("have rows that sum to 1 only with −∞", async () => {
    const { page, close } = await visitHere("");
    for (const [sum] of await numbersOf(grid(page, t.drop.sums))) expect(sum).toBe(1);
    await page.getByRole("radio", { name: t.drop.restNames.zero, exact: true }).check();
    expectClose(await numbersOf(grid(page, t.drop.sums)), KEPT_MASS);
    // 0.4683 times the value of key 2 against row 1 of the exact output.
    expect(numberIn(await fact(page, "drop", "error"))).toBeCloseTo(2.936621, 4);
    await page.getByText(t.drop.restTexts.zero, { exact: true }).waitFor();
    await close();
  });

  it("balance the scores as Sinkhorn did", async () => {
    const { page, close } = await visitHere("&blocks=2");
    const sorting = () => numbersOf(grid(page, t.sinkhorn.sortingTitle));
    expectClose(await sorting(), [
      [0.4, 0.5714],
      [0.6, 0.4286],
    ]);
    expectClose(await numbersOf(grid(page, t.sinkhorn.rowSumsTitle)), [[0.9714], [1.0286]]);
    expectClose(await numbersOf(grid(page, t.sinkhorn.columnSumsTitle)), [[1, 1]]);
    const field = page.getByRole("textbox", { name: t.sinkhorn.rounds, exact: true });
    await field.fill("40");
    await field.press("Enter");
    await expect.poll(async () => (await sorting())[0]![0]).toBeCloseTo(ROOT - 1, 4);
    expectClose(await sorting(), [
      [ROOT - 1, 2 - ROOT],
      [2 - ROOT, ROOT - 1],
    ]);
    await close();
  });

  it("become a permutation when they are cold", async () => {
    const { page, close } = await visitHere("");
    await page.getByText(t.sinkhorn.noPermutation).waitFor();
    await page.goto(page.url().replace(/\?.*/, `?chapter=content&lang=${language}&tau=0.1&t=40`));
    await page.getByText(t.sinkhorn.permutation).waitFor();
    const list = [3, 1, 2, 4].map((to, from) => t.sinkhorn.takesBlock(from + 1, to));
    await page.getByText(t.sinkhorn.choice(list.join(t.sinkhorn.and))).waitFor();
    await close();
  });
});

it("keeps the pairs of one group and no others", async () => {
  for (const way of ["kMeans", "hash"]) {
    const { page, problems, close } = await open(`&way=${way}`);
    const kept = await folded(page, en.clusters.keptTable);
    await page.getByText(en.clusters.pointTable, { exact: true }).click();
    const points = page.getByRole("table", { name: en.clusters.pointTable });
    await points.waitFor();
    const rows = await points
      .locator("tbody tr")
      .evaluateAll((all) =>
        all.map((row) => Array.from(row.querySelectorAll("td"), (cell) => cell.textContent)),
      );
    const [query, key] = [rows.map((row) => row[1]), rows.map((row) => row[3])];
    expect(new Set([...query, ...key]).size, way).toBe(4);
    let pairs = 0;
    for (const i of query) for (const j of key) pairs += i === j ? 1 : 0;
    expect(await fact(page, "clusters", "pairs")).toContain(`${pairs} of 576`);
    // The table's first page.
    kept.forEach((row, i) =>
      row.forEach((weight, j) => expect(weight > 0, `${way} ${i} ${j}`).toBe(query[i] === key[j])),
    );
    // More attention is kept than pairs are.
    const mass = Number.parseFloat(await fact(page, "clusters", "mass"));
    expect(mass).toBeGreaterThan(1.5 * ((100 * pairs) / 576));
    expect(problems).toEqual([]);
    await close();
  }
});

it("takes n/4 tokens for each direction in routing, and no token sees itself", async () => {
  const { page, close } = await open("&way=routing&tokens=16");
  // Four groups of four, without the diagonal; a pair may be in two groups.
  const [pairs] = (await fact(page, "clusters", "pairs")).split(" ");
  expect(Number(pairs)).toBeLessThanOrEqual(48);
  const kept = await folded(page, en.clusters.keptTable);
  kept.forEach((row, i) => {
    expect(row[i]).toBe(0);
    const sum = row.reduce((total, weight) => total + weight, 0);
    expect([0, 1]).toContain(Math.round(1e4 * sum) / 1e4);
  });
  await close();
});

it("finds more in the Reformer with more rounds", async () => {
  const found: number[][] = [];
  for (const rounds of [1, 4]) {
    const { page, close } = await open(`&way=reformer&rounds=${rounds}`);
    const [pairs] = (await fact(page, "clusters", "pairs")).split(" ");
    const mass = Number.parseFloat(await fact(page, "clusters", "mass"));
    found.push([Number(pairs), mass]);
    await close();
  }
  // A chunk of 3 tokens sees 6, itself not.
  expect(found[0]![0]).toBe(24 * 5);
  expect(found[1]![0]).toBeGreaterThan(found[0]![0]!);
  expect(found[1]![1]).toBeGreaterThan(found[0]![1]!);
});

it("groups anew, and undoes it", async () => {
  const { page, close } = await open("&way=hash");
  const exhibit = page.locator("#clusters");
  const before = await fact(page, "clusters", "mass");
  await exhibit.getByRole("button", { name: en.clusters.drawAgain }).click();
  await expect.poll(() => page.url()).toContain("draw=2");
  expect(await fact(page, "clusters", "mass")).not.toBe(before);
  await exhibit.getByRole("button", { name: MESSAGES.en.exhibit.undo }).click();
  expect(await fact(page, "clusters", "mass")).toBe(before);
  await close();
});

it("reads pairs and points out by keyboard", async () => {
  const { page, close } = await open("");
  await page.locator("#drop").getByRole("application", { name: en.drop.pairsTitle }).focus();
  await page.keyboard.press("ArrowRight");
  await spoken(page, /^query 1, key 2, weight 0\.46831\d*, kept$/);
  await page.keyboard.press("ArrowRight");
  await spoken(page, /^query 1, key 3, weight 0\.46831\d*, dropped$/);
  await page.keyboard.press("Escape");
  await page.getByRole("application", { name: en.clusters.planeTitle }).focus();
  await page.keyboard.press("End");
  await spoken(page, /^key 24: \([−\d.]+, [−\d.]+\), group [1-4]$/);
  await close();
});

it("gives zeros where a threshold leaves nothing", async () => {
  const { page, close } = await open("&rule=threshold&least=0.6");
  const output = await numbersOf(grid(page, en.drop.outputTitle));
  expect(output).toEqual([
    [0, 0, 0],
    [2, 8, 0],
    [2, 8, 0],
  ]);
  await close();
});

it("adds a number to all values without an error only where rows sum to 1", async () => {
  const errors: number[][] = [];
  for (const shift of [0, 3]) {
    const { page, close } = await open(`&numbers=longer&shift=${shift}`);
    errors.push((await folded(page, en.drop.growthTable))[3]!.slice(2));
    await close();
  }
  expect(errors[1]![0]).toBeCloseTo(errors[0]![0]!, 3);
  expect(errors[1]![1]).toBeGreaterThan(errors[0]![1]! + 0.5);
});

it("has all mass and no error when all weights stay", async () => {
  const { page, close } = await open("&numbers=longer&n=16");
  const rows = await folded(page, en.drop.growthTable);
  expect(rows).toHaveLength(16);
  const [mean, worst, divided, zeroed] = rows[15]!;
  expect(mean).toBeCloseTo(1, 4);
  expect(worst).toBeCloseTo(1, 4);
  expect(divided).toBeLessThan(1e-5);
  expect(zeroed).toBeLessThan(1e-5);
  // Never less mass with one weight more.
  rows.slice(1).forEach((row, i) => expect(row[0]!).toBeGreaterThanOrEqual(rows[i]![0]!));
  await close();
});

it("keeps x when what is typed is no number", async () => {
  const { page, close } = await open("");
  const x = page.locator("#drop").getByRole("grid", { name: new RegExp(`${en.drop.x}$`) });
  await x.locator('td[data-row="0"][data-column="0"]').click();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("abc");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").filter({ hasText: "“abc”" }).waitFor();
  await page.keyboard.press("Escape");
  expectClose(await numbersOf(grid(page, en.drop.mass)), KEPT_MASS);
  await close();
});

it("refuses a billion tokens and keeps the last good state", async () => {
  const { page, close } = await open("&numbers=longer");
  const field = page.locator("#drop").getByRole("textbox", { name: en.drop.n, exact: true });
  await field.fill("1000000000");
  await field.press("Enter");
  const sentence = MESSAGES.en.exhibit.takesNumber(4, 32, 1);
  await page.getByRole("alert").filter({ hasText: sentence }).waitFor();
  expect(await fact(page, "drop", "pairs")).toBe(en.drop.of("24", "576"));
  await close();
});

it.each(["&x=1,2", "&k=0", "&least=2", "&way=x", "&tokens=9", "&wants=1", "&tau=0", "&upto=20"])(
  "leaves %s out and says so",
  async (entries) => {
    const { page, problems, close } = await open(entries);
    const alert = page.getByRole("alert").filter({ hasText: MESSAGES.en.exhibit.addressRefused });
    await alert.waitFor();
    expect(problems).toEqual([]);
    await close();
  },
);

it("measures the mechanisms, and can be stopped", async () => {
  const { page, problems, close } = await open("&upto=13");
  const exhibit = page.locator("#content-times");
  await exhibit.getByRole("button", { name: MESSAGES.en.measuring.measure }).click();
  await exhibit.getByRole("progressbar").waitFor();
  const chart = exhibit.getByRole("application", { name: en.times.chart });
  await exhibit.getByText(/^exact:\s*[\d.]+ ms$/).waitFor({ timeout: 20_000 });
  await chart.focus();
  await spoken(page, /^n = 256, exact, time of one call [\d.]+ ms$/);
  await page.keyboard.press("Escape");
  await exhibit.getByRole("button", { name: MESSAGES.en.measuring.stop }).click();
  await exhibit.getByText(MESSAGES.en.measuring.stopped).waitFor();
  expect(problems).toEqual([]);
  await close();
});

it("measures each mechanism to the end", async () => {
  const { page, problems, close } = await open("&upto=9");
  const exhibit = page.locator("#content-times");
  await exhibit.getByRole("button", { name: MESSAGES.en.measuring.measure }).click();
  await exhibit.getByText(MESSAGES.en.measuring.finished).waitFor({ timeout: 30_000 });
  const table = page.getByRole("table", { name: en.times.table("512") });
  const cells = await table.locator("tbody td:nth-child(4)").allTextContents();
  expect(cells).toHaveLength(6);
  for (const cell of cells) expect(cell).toMatch(/^[\d.]+ ms$/);
  expect(problems).toEqual([]);
  await close();
});

it("checks the answers to its questions", async () => {
  const { page, close } = await open("");
  for (const [id, answer] of [
    ["mass", "46.8 %"],
    ["second", "7"],
    ["pairs", "144"],
    ["round", "0.4"],
    ["cold", "3"],
  ] as const) {
    const form = page.locator(`[data-question="${id}"]`);
    await form.getByRole("textbox").fill(answer);
    await form.getByRole("button", { name: MESSAGES.en.questions.check }).click();
    await expect.poll(() => form.getAttribute("data-verdict"), { message: id }).toBe("right");
  }
  await close();
});

it("rearranges matrices and groups", () => {
  const a = fromRows([
    [1, 2],
    [3, 4],
  ]);
  const both = beside(a, fromRows([[5], [6]]));
  expect(Array.from(both.data)).toEqual([1, 2, 5, 3, 4, 6]);
  expect(Array.from(slice(both, 1, 2).data)).toEqual([2, 5, 4, 6]);
  expect(Array.from(stacked(a, fromRows([[7, 8]])).data)).toEqual([1, 2, 3, 4, 7, 8]);
  const where = fromRows([
    [0, 0.5],
    [1, -1],
  ]);
  expect(Array.from(keptWhere(a, where).data)).toEqual([0, 2, 3, 0]);
  expect(sortedBy([2, 0, 2, 1, 0])).toEqual([1, 4, 3, 0, 2]);
  const shapes = [0, 1, 2, 3, 4].map((mark) => markPath(mark, 0, 0, 1));
  expect(new Set(shapes).size).toBe(5);
});

it("does not scroll sideways on a phone", async () => {
  const { page, close } = await visit(browser, "?chapter=content&lang=en&numbers=longer", {
    width: 360,
  });
  const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(over).toBeLessThanOrEqual(0);
  await close();
});

it("has no violations with other choices, and with tables open", async () => {
  const query = "?chapter=content&lang=en&numbers=longer&way=routing&order=group";
  const { page, close } = await visit(browser, query);
  // The tables of words and of numbers, and the drawer; more would take a minute to check.
  await page.getByText(en.clusters.pointTable, { exact: true }).click();
  await page.getByText(en.sinkhorn.table, { exact: true }).click();
  await page.locator("#drop").getByText(MESSAGES.en.numbers.title).click();
  await expectNoViolations(page);
  await close();
});
