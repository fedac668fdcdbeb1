// The matrix view and the two ways to compute it: golden numbers in every language.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { grid, LANGUAGES, launch, numberIn, numbersOf, spoken, visit } from "./support/browser";
import { expectClose } from "./support/close";
import { WORKED } from "./support/golden";
import { MESSAGES } from "./support/messages";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const turned = (rows: readonly (readonly number[])[]) =>
  rows[0]!.map((_, column) => rows.map((row) => row[column]!));

const en = MESSAGES.en;
const open = (query: string) => visit(browser, `?chapter=matrices&lang=en${query}`);

describe.each(LANGUAGES)("the matrix view in %s", (language) => {
  const t = MESSAGES[language];
  const names = t.oneQuery.tensors;

  it("has the golden numbers, with tokens as rows and as columns", async () => {
    const { page, problems, close } = await visit(browser, `?chapter=matrices&lang=${language}`);
    expect(await numbersOf(grid(page, names.query))).toEqual(WORKED.query);
    expect(await numbersOf(grid(page, names.keyT))).toEqual(turned(WORKED.key));
    expect(await numbersOf(grid(page, names.dot))).toEqual(WORKED.scores);
    expectClose(await numbersOf(grid(page, names.weights)), WORKED.weights, 4);
    expectClose(await numbersOf(grid(page, names.output)), WORKED.output, 6);
    await page.getByRole("radio", { name: t.matrices.conventions.columns }).check();
    expect(await numbersOf(grid(page, names.dot))).toEqual(turned(WORKED.scores));
    expectClose(await numbersOf(grid(page, names.output)), turned(WORKED.output), 6);
    expect(problems).toEqual([]);
    await close();
  });
});

it("divides by the root of d_k", async () => {
  const { page, close } = await open("&divide=1");
  const names = en.oneQuery.tensors;
  expectClose(await numbersOf(grid(page, names.weights)), WORKED.scaled.weights, 4);
  expectClose(await numbersOf(grid(page, names.output)), WORKED.scaled.output, 6);
  await close();
});

it("pools the inputs themselves when every W is the identity", async () => {
  const { page, close } = await open("&same=1");
  const names = en.oneQuery.tensors;
  expect(await numbersOf(grid(page, names.dot))).toEqual([
    [2, 0, 2],
    [0, 8, 4],
    [2, 4, 4],
  ]);
  const output = await numbersOf(grid(page, names.output));
  const [near, far] = [Math.exp(2) / (2 * Math.exp(2) + 1), 1 / (2 * Math.exp(2) + 1)];
  expectClose(
    [output[0]!],
    [[2 * near, 2 * far + near, 2 * near, 2 * far + near]],
    6,
  );
  await close();
});

it("lights what a cell is made of, by keyboard too", async () => {
  const { page, close } = await open("");
  const names = en.oneQuery.tensors;
  const output = grid(page, names.output);
  await output.locator('td[data-row="0"][data-column="1"]').focus();
  await page.keyboard.press("ArrowDown");
  await spoken(page, /^output 2, feature 2, number 7\.96399\d*$/);
  const lit = (title: string, index: number) =>
    page
      .getByRole("grid", { name: new RegExp(`${title}$`) })
      .nth(index)
      .locator("td.lit")
      .evaluateAll((cells) => cells.map((cell) => (cell as HTMLElement).dataset));
  expect((await lit(names.weights, 1)).map(({ row }) => row)).toEqual(["1", "1", "1"]);
  expect((await lit(names.value, 1)).map(({ column }) => column)).toEqual(["1", "1", "1"]);
  await page.getByText(en.matrices.cellOf.output(2, 2)).waitFor();
  await page.keyboard.press("Escape");
  expect(await output.evaluate((table) => table.contains(document.activeElement))).toBe(false);
  await close();
});

it("takes the reader's inputs, and refuses what is no number", async () => {
  const { page, close } = await open("");
  const cell = grid(page, en.oneQuery.tensors.x).locator('td[data-row="0"][data-column="1"]');
  await cell.click();
  await page.keyboard.type("x");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").filter({ hasText: en.grid.notANumber("x") }).waitFor();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("3");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.url()).toContain("x=1,3,1,0");
  await page.getByRole("button", { name: en.exhibit.undo }).first().click();
  await expect.poll(() => page.url()).not.toContain("x=");
  await close();
});

it.each(["&x=1,2", "&columns=7", "&n=1000000000", "&seed=x"])(
  "leaves %s out of the address and says so",
  async (entries) => {
    const { page, problems, close } = await open(entries);
    await page.getByRole("alert").filter({ hasText: en.exhibit.addressRefused }).waitFor();
    expect(problems).toEqual([]);
    await close();
  },
);

it("gives the same numbers one by one and in one go", async () => {
  const { page, close } = await open("&n=64");
  const t = en.matrices.ways;
  const text = await page.locator("#one-by-one .gap").textContent();
  expect(numberIn(text!.split(":")[1]!)).toBeLessThan(1e-5);
  expect(await page.locator("#one-by-one .way").first().textContent()).toContain("64 calls");
  await page.getByText(t.table, { exact: true }).click();
  expect(await numbersOf(page.getByRole("table", { name: t.table }))).toHaveLength(16);
  await close();
});

it("measures both ways, and can be stopped", async () => {
  const { page, problems, close } = await open("");
  const t = en.matrices.ways;
  await page.getByRole("button", { name: en.measuring.measure }).click();
  await page.getByRole("progressbar").waitFor();
  const table = page.getByRole("table", { name: t.timesTable });
  await page.getByText(t.timesTable, { exact: true }).click();
  await expect
    .poll(async () => (await table.locator("tbody tr").first().textContent()) ?? "")
    .toMatch(/ ms.* ms/);
  await page.getByRole("button", { name: en.measuring.stop }).click();
  await page.getByText(en.measuring.stopped).waitFor();
  expect(problems).toEqual([]);
  await close();
});

it("checks the answers to its questions", async () => {
  const { page, close } = await open("");
  for (const [id, answer] of [
    ["cell", "7.96"],
    ["same", "8"],
    ["scores", "4194304"],
  ] as const) {
    const form = page.locator(`[data-question="${id}"]`);
    await form.getByRole("textbox").fill(answer);
    await form.getByRole("button", { name: en.questions.check }).click();
    await expect.poll(() => form.getAttribute("data-verdict")).toBe("right");
  }
  await close();
});
