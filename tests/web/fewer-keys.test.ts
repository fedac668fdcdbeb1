// Rank, few keys for many, what they save, and why the queries stay.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { windows } from "../../web/src/exhibits/compress/compute";
import { fromRows } from "../../web/src/lib/matrix";
import { neighbourMeans } from "../../web/src/lib/shortening";
import { grid, LANGUAGES, launch, numberIn, numbersOf, spoken, visit } from "./support/browser";
import { MESSAGES } from "./support/messages";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const en = MESSAGES.en.fewerKeys;
const open = (query: string) => visit(browser, `?chapter=fewer-keys&lang=en${query}`);

const fact = (page: Page, exhibit: string, id: string) =>
  page.locator(`#${exhibit} [data-fact="${id}"] dd`).textContent();
const left = (page: Page, of: string) =>
  page.locator(`#rank [data-sizes="${of}"] .now b`).textContent();

// Chapter 3's matrices.
const Q = [
  [1, 0, 2],
  [2, 2, 2],
  [2, 1, 3],
];
const K = [
  [0, 1, 1],
  [4, 4, 0],
  [2, 3, 1],
];
const V = [
  [1, 2, 3],
  [2, 8, 0],
  [2, 6, 3],
];

const product = (a: number[][], b: number[][]) =>
  a.map((row) => b[0]!.map((_, c) => row.reduce((sum, value, i) => sum + value * b[i]![c]!, 0)));

/** Attention over E K and E V, in 64 bits and straight from the definition. */
function attended(e: number[][]): number[][] {
  const [keys, values] = [product(e, K), product(e, V)];
  const weights = Q.map((q) => {
    const powers = keys.map((k) => Math.exp(k.reduce((s, x, i) => s + x * q[i]!, 0) / Math.sqrt(3)));
    const sum = powers.reduce((a, b) => a + b, 0);
    return powers.map((power) => power / sum);
  });
  return product(weights, values);
}

function expectClose(shown: number[][], expected: number[][]): void {
  expect(shown.map((row) => row.length)).toEqual(expected.map((row) => row.length));
  shown.flat().forEach((value, i) => expect(value).toBeCloseTo(expected.flat()[i]!, 3));
}

describe.each(LANGUAGES)("fewer keys in %s", (language) => {
  const t = MESSAGES[language].fewerKeys;

  it("have the golden numbers", async () => {
    const { page, problems, close } = await visit(browser, `?chapter=fewer-keys&lang=${language}`);
    expect(await numbersOf(grid(page, t.compress.ek))).toEqual([
      [0, 1, 1],
      [3, 3.5, 0.5],
    ]);
    expectClose(
      await numbersOf(grid(page, t.compress.output)),
      attended([
        [1, 0, 0],
        [0, 0.5, 0.5],
      ]),
    );
    expectClose(await numbersOf(grid(page, t.compress.exact)), [
      [1.863874, 6.319371, 1.704189],
      [1.99911, 7.814124, 0.2734721],
      [1.992555, 7.479636, 0.7358773],
    ]);
    const bars = page.locator("#compress-cost .bars .number");
    expect(await bars.allTextContents()).toEqual([
      "2,147,483,648",
      "16,777,216",
      // 2 · 4096 · 1366 · 64 for attention, 2 · 1366 · 3 · 64² for the windows
      "749,748,224",
    ]);
    const making = page.locator("#compress-cost .bars .note");
    expect(await making.allTextContents()).toEqual([
      t.cost.making("8,388,608"), // 2 · 16 · 4096 · 64
      t.cost.making("33,570,816"),
    ]);
    await page.getByText(t.cost.saved("256", "128"), { exact: true }).waitFor();
    await page.getByText(t.queries.tooFew(2, 4), { exact: true }).waitFor();
    expect(problems).toEqual([]);
    await close();
  });
});

it("takes two columns away from scores of two features, and then nothing is left", async () => {
  const { page, close } = await open("&taken=2");
  expect(await left(page, "scores")).toBe("0");
  expect(await numbersOf(grid(page, en.rank.left.scores))).toEqual(
    Array.from({ length: 6 }, () => [0, 0, 0, 0, 0, 0]),
  );
  expect(Number(await left(page, "weights"))).toBeGreaterThan(0.05);
  await page.getByRole("slider", { name: en.rank.takenName }).fill("3");
  await page.getByText(en.rank.nothingLeft, { exact: true }).waitFor();
  await close();
});

it("leaves scores of any two features without a third column", async () => {
  const { page, close } = await open("&taken=2&ranked=0.3,-1.7;2.1,0.4;-0.9,1.1;3,2;0.7,-2;1,1.3");
  expect(numberIn((await left(page, "scores"))!)).toBeLessThan(1e-5);
  await close();
});

it("walks a matrix by keyboard and changes a token", async () => {
  const { page, close } = await open("");
  const cell = grid(page, en.rank.tokens).locator('td[data-row="2"][data-column="1"]');
  await cell.focus();
  await spoken(page, "token 3, feature 2, number 1");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("x");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").filter({ hasText: MESSAGES.en.grid.notANumber("x") }).waitFor();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("3");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.url()).toContain("ranked=2,0;0,1;1,3;");
  await close();
});

it("needs eight keys for eight tokens that repeat, if it picks those least alike", async () => {
  const { page, close } = await open("&tokens=repeating&by=unlike&keys=8");
  expect(await fact(page, "representatives", "error")).toBe("0 %");
  // Each token stands there eight times, and one of the eight was picked.
  expect(await fact(page, "representatives", "kept")).toBe("12.5 %");
  expect(await fact(page, "representatives", "pairs")).toBe("512 of 4,096");
  // Every eighth token is the same one.
  await page.getByRole("radio", { name: en.few.ways.every }).check();
  await expect
    .poll(async () => Number.parseFloat((await fact(page, "representatives", "error"))!))
    .toBeGreaterThan(100);
  await close();
});

it("has small errors where tokens move smoothly, and large ones where they are random", async () => {
  const { page, close } = await open("&by=mean&keys=16");
  const error = async () => Number.parseFloat((await fact(page, "representatives", "error"))!);
  expect(await error()).toBeLessThan(12);
  expect(await error()).toBeGreaterThan(1);
  await page.getByRole("radio", { name: en.few.sequences.random }).check();
  await expect.poll(error).toBeGreaterThan(50);
  // With as many keys as tokens, means of single tokens are the tokens.
  await page.getByText(en.few.table, { exact: true }).click();
  const row = page.getByRole("table", { name: en.few.table }).getByRole("row", { name: /^64 / });
  await row.waitFor();
  const cells = await row.locator("td").allTextContents();
  expect(cells.slice(0, 3)).toEqual(["0 %", "0 %", "0 %"]);
  expect(Number.parseFloat(cells[3]!)).toBeGreaterThan(10);
  await close();
});

it.each([
  [1, [[0.5, 0, 0], [0.5, 0.5, 0], [0, 0.5, 0.5]]],
  [2, [[0.5, 0, 0], [0, 0.5, 0.5]]],
  [3, [[0, 0.5, 0.5]]],
] as const)("a convolution of stride %i is a matrix", async (stride, rows) => {
  const e = rows.map((row) => [...row]);
  expect(Array.from(windows(fromRows([[0.5, 0.5]]), stride).data)).toEqual(e.flat());
  const { page, close } = await open(`&through=convolution&stride=${stride}`);
  expect(await numbersOf(grid(page, en.compress.eWindows))).toEqual(e);
  expectClose(await numbersOf(grid(page, en.compress.output)), attended(e));
  await close();
});

it("gives zeros where E is all zeros, and the exact output where it is the identity", async () => {
  const { page, close } = await open("&e=0,0,0;0,0,0;0,0,0");
  expect((await numbersOf(grid(page, en.compress.output))).flat()).toEqual(Array(9).fill(0));
  await close();
  const same = await open("&e=1,0,0;0,1,0;0,0,1&rows=3");
  await same.page.getByText(en.compress.gap("0"), { exact: true }).waitFor();
  await same.close();
});

it("makes rows that are means, and leaves no token out", () => {
  const e = neighbourMeans(3, 7);
  expect([e.rows, e.columns]).toEqual([3, 7]);
  for (let row = 0; row < 3; row += 1) {
    const numbers = Array.from(e.data.subarray(row * 7, row * 7 + 7));
    expect(numbers.reduce((a, b) => a + b)).toBeCloseTo(1, 6);
  }
  for (let column = 0; column < 7; column += 1) {
    expect([0, 1, 2].filter((row) => e.data[row * 7 + column]! > 0)).toHaveLength(1);
  }
});

it("keeps a row of output for each word only while the queries stay", async () => {
  const { page, close } = await open("");
  expect(await fact(page, "fewer-queries", "rows")).toBe("2");
  const table = page.getByRole("table", { name: en.queries.table });
  expect(await table.locator("tbody td:nth-child(2)").allTextContents()).toEqual([
    "1",
    "1",
    "2",
    "2",
  ]);
  await page.getByRole("radio", { name: en.queries.sides.keys }).check();
  await page.getByText(en.queries.enough(4), { exact: true }).waitFor();
  expect(await fact(page, "fewer-queries", "rows")).toBe("4");
  expect(await fact(page, "fewer-queries", "weights")).toBe("8");
  expect(await table.locator("tbody td:nth-child(2)").allTextContents()).toEqual([
    "1",
    "2",
    "3",
    "4",
  ]);
  await close();
});

it("measures, says how far it is, and can be stopped", async () => {
  const { page, problems, close } = await open("&d=16");
  const exhibit = page.locator("#compress-cost");
  await exhibit.getByRole("button", { name: MESSAGES.en.measuring.measure }).click();
  await exhibit.getByRole("progressbar").waitFor();
  await exhibit.getByRole("application", { name: en.cost.chart }).focus();
  const reading = exhibit.locator(".reading");
  await expect
    .poll(() => reading.textContent(), { timeout: 20_000 })
    .toMatch(/all keys: [\d.]+ ms.*matrix: [\d.]+ ms.*convolution: [\d.]+ ms/s);
  await exhibit.getByRole("button", { name: MESSAGES.en.measuring.stop }).click();
  await exhibit.getByText(MESSAGES.en.measuring.stopped).waitFor();
  expect(problems).toEqual([]);
  await close();
});

it.each([
  "&taken=7",
  "&ranked=1,2",
  "&tokens=x",
  "&keys=0",
  "&keys=1000000000",
  "&e=a",
  "&through=x",
  "&stride=4",
  "&n=100",
  "&few=0",
])("leaves %s out and says so", async (entries) => {
  const { page, problems, close } = await open(entries);
  const alert = page.getByRole("alert").filter({ hasText: MESSAGES.en.exhibit.addressRefused });
  await alert.waitFor();
  expect(problems).toEqual([]);
  await close();
});

it("checks the answers to its questions", async () => {
  const { page, close } = await open("");
  for (const [id, answer] of [
    ["rank", "2"],
    ["key", "3"],
    ["saved", "128"],
    ["rows", "4"],
  ] as const) {
    const form = page.locator(`[data-question="${id}"]`);
    await form.getByRole("textbox").fill(answer);
    await form.getByRole("button", { name: MESSAGES.en.questions.check }).click();
    await expect.poll(() => form.getAttribute("data-verdict")).toBe("right");
  }
  await close();
});

it("follows the number of keys while it moves", async () => {
  const { page, close } = await open("&tokens=random");
  const slider = page.getByRole("slider", { name: en.few.keys });
  await slider.evaluate(async (element: HTMLInputElement) => {
    for (let step = 0; step < 21; step += 1) {
      element.value = String(element.valueAsNumber + 1);
      element.dispatchEvent(new Event("input", { bubbles: true }));
      await new Promise((done) => setTimeout(done));
    }
  });
  await page.getByText("2,368 of 4,096", { exact: true }).waitFor();
  await close();
});
