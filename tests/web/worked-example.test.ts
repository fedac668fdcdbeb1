// The worked example: its numbers in the document equal those worked out elsewhere.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { grid, LANGUAGES, launch, numbersOf, visit } from "./support/browser";
import { expectClose } from "./support/close";
import { WORKED } from "./support/golden";
import { MESSAGES } from "./support/messages";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const en = MESSAGES.en.oneQuery;
const open = (query: string) => visit(browser, `?chapter=one-query&lang=en${query}`);

async function cell(page: Page, title: string, row: number, column: number) {
  return grid(page, title).locator(`td[data-row="${row}"][data-column="${column}"]`);
}

async function type(page: Page, title: string, row: number, column: number, text: string) {
  await (await cell(page, title, row, column)).click();
  await page.keyboard.press("Control+a");
  await page.keyboard.type(text);
  await page.keyboard.press("Enter");
}

describe.each(LANGUAGES)("the notes' numbers in %s", (language) => {
  const t = MESSAGES[language].oneQuery;

  it("are the golden ones, step by step", async () => {
    const { page, problems, close } = await visit(browser, `?chapter=one-query&lang=${language}`);
    const shown = (title: string) => numbersOf(grid(page, title));
    const go = (step: keyof typeof t.steps) =>
      page.locator(".step", { hasText: t.steps[step].name }).first().click();

    await go("key");
    expect(await shown(t.tensors.key)).toEqual(WORKED.key);
    await page.locator(".stepper .strong").click();
    expect(await shown(t.tensors.query)).toEqual(WORKED.query);
    await page.locator(".stepper .strong").click();
    expect(await shown(t.tensors.value)).toEqual(WORKED.value);
    await page.locator(".stepper .strong").click();
    expect(await shown(t.tensors.dot)).toEqual(WORKED.scores);
    await go("softmax");
    expectClose(await shown(t.tensors.weights), WORKED.weights, 4);
    expect((await shown(t.tensors.rowSum)).flat()).toEqual([1, 1, 1]);
    await go("weigh");
    for (const key of [0, 1, 2]) {
      const title = t.tensors.weighted(t.names.key(`${key + 1}`));
      expectClose(await shown(title), WORKED.weighted[key]!, 4);
    }
    await go("sum");
    expectClose(await shown(t.tensors.output), WORKED.output, 6);
    expect(problems).toEqual([]);
    await close();
  });
});

it("divides by the root of d_k when asked to", async () => {
  const { page, close } = await open("&step=softmax");
  await page.getByRole("checkbox").check();
  expectClose(await numbersOf(grid(page, en.tensors.weights)), WORKED.scaled.weights, 4);
  await page.getByRole("button", { name: en.forward }).click();
  await page.getByRole("button", { name: en.forward }).click();
  expectClose(await numbersOf(grid(page, en.tensors.output)), WORKED.scaled.output, 6);
  await close();
});

it("shows the source's rounded table beside the exact sum", async () => {
  const { page, close } = await open("&step=weigh");
  await page.getByRole("radio", { name: en.printed }).check();
  for (const key of [0, 1, 2]) {
    const title = en.tensors.weighted(en.names.key(`${key + 1}`));
    expectClose(await numbersOf(grid(page, title)), WORKED.printed.weighted[key]!, 4);
  }
  await page.getByRole("button", { name: en.forward }).click();
  expectClose(await numbersOf(grid(page, en.tensors.output)), WORKED.printed.output, 6);
  expectClose(await numbersOf(grid(page, en.tensors.exactOutput)), WORKED.output, 6);
  const gap = await numbersOf(grid(page, en.tensors.gap));
  expect(gap[0]![1]).toBeCloseTo(-0.3169, 4);
  await page.getByText(en.largestGap("0.3169", 1, 2)).waitFor();
  await close();
});

it("refuses the printed table for numbers that are not the source's", async () => {
  const { page, close } = await open("&divide=1&printed=1");
  expect(await page.getByRole("radio", { name: en.printed }).isDisabled()).toBe(true);
  expect(await page.getByRole("radio", { name: en.exact }).isChecked()).toBe(true);
  await close();
});

it("tells the two words with 512 features each", async () => {
  const { page, problems, close } = await open("&numbers=words&step=score");
  await page.getByText(en.classic("112", "96", "14", "12", "0.8808", "0.1192")).waitFor();
  expectClose([(await numbersOf(grid(page, en.tensors.dot)))[0]!], [[112, 96]], 3);
  await page.getByRole("button", { name: en.forward }).click();
  expectClose([(await numbersOf(grid(page, en.tensors.scores)))[0]!], [[14, 12]], 3);
  await page.getByRole("button", { name: en.forward }).click();
  const weights = await numbersOf(grid(page, en.tensors.weights));
  expectClose([weights[0]!], [[0.880797078, 0.119202922]], 4);
  await page.getByRole("button", { name: en.shuffle }).click();
  expect(await numbersOf(grid(page, en.tensors.weights))).not.toEqual(weights);
  expect(problems).toEqual([]);
  await close();
});

it("takes the identity for every W", async () => {
  const { page, close } = await open("&numbers=identity&step=score");
  expect(await numbersOf(grid(page, en.tensors.dot))).toEqual([
    [2, 0, 2],
    [0, 8, 4],
    [2, 4, 4],
  ]);
  await close();
});

it("computes everything anew when a cell changes, and undoes it", async () => {
  const { page, problems, close } = await open("");
  await type(page, en.tensors.x, 1, 1, "0");
  await type(page, en.tensors.x, 1, 3, "0");
  expect(await numbersOf(grid(page, en.tensors.key))).toEqual([
    [0, 1, 1],
    [0, 0, 0],
    [2, 3, 1],
  ]);
  // Row 1 has now the scores 2, 0, 4: the zero key still gets weight.
  await page.getByRole("button", { name: en.goTo(en.steps.softmax.name) }).click();
  const sum = Math.exp(2) + 1 + Math.exp(4);
  const weights = await numbersOf(grid(page, en.tensors.weights));
  expectClose([weights[0]!], [[Math.exp(2) / sum, 1 / sum, Math.exp(4) / sum]], 4);

  const undo = page.locator("#worked-example").getByRole("button", { name: MESSAGES.en.exhibit.undo });
  await undo.click();
  await undo.click();
  expect(await undo.isDisabled()).toBe(true);
  await page.getByRole("button", { name: en.goTo(en.steps.sum.name) }).click();
  expectClose(await numbersOf(grid(page, en.tensors.output)), WORKED.output, 6);
  expect(problems).toEqual([]);
  await close();
});

it.each([
  ["2a", /“2a” is not a number/],
  ["1,5", /“1,5” is not a number/],
  ["", /“” is not a number/],
  ["NaN", /“NaN” is not a number/],
  ["1e9", /from −1000 to 1000/],
])("says what a cell takes when it is given “%s”", async (text, sentence) => {
  const { page, close } = await open("");
  await (await cell(page, en.tensors.x, 0, 0)).click();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await page.keyboard.type(text);
  await page.keyboard.press("Enter");
  await page.getByRole("alert").filter({ hasText: sentence }).waitFor();
  expect(await numbersOf(grid(page, en.tensors.key))).toEqual(WORKED.key);
  await page.keyboard.press("Escape");
  expect(await (await cell(page, en.tensors.x, 0, 0)).textContent()).toBe("1");
  expect(await page.getByRole("alert").count()).toBe(0);
  await close();
});

it("accepts what Chinese keyboards type", async () => {
  const { page, close } = await open("");
  await type(page, en.tensors.x, 0, 0, "－２．５");
  expect(await (await cell(page, en.tensors.x, 0, 0)).textContent()).toBe("−2.5");
  await close();
});

it("explains the cell in focus term by term", async () => {
  const { page, close } = await open("&step=score");
  await (await cell(page, en.tensors.dot, 1, 1)).click();
  const terms = page.locator(".terms");
  expect((await terms.locator(".product").allTextContents()).map(Number)).toEqual([8, 8, 0]);
  expect(await terms.locator("b").textContent()).toBe("16");
  await page.getByRole("button", { name: en.goTo(en.steps.softmax.name) }).click();
  expect((await terms.locator("sup").allTextContents()).map(Number)).toEqual([16, 4, 16, 12]);
  await close();
});

it("keeps all numbers in the drawer, to the last digit, and copies them", async () => {
  const { page, close } = await open("");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.locator("#worked-example").getByText(MESSAGES.en.numbers.title).click();
  await page.getByRole("button", { name: MESSAGES.en.numbers.showLabel("O"), exact: true }).click();
  const table = page.getByRole("table", { name: MESSAGES.en.numbers.values("O") });
  const shown = (await numbersOf(table)).flat();
  const exact = WORKED.output.flat();
  shown.forEach((value, i) => expect(Math.abs(value / exact[i]! - 1)).toBeLessThan(2e-6));
  await page.getByRole("button", { name: MESSAGES.en.numbers.copyLabel("K"), exact: true }).click();
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe("# K [3, 3]\n0,1,1\n4,4,0\n2,3,1\n");
  await page
    .locator("#worked-example")
    .getByText(/Computed by the core \(\w+, \d+ threads?\): \d+ calls, [\d,]+ µs\./)
    .waitFor();
  await close();
});

it("plays through all steps by itself and can be paused", async () => {
  const { page, close } = await open("");
  await page.getByRole("button", { name: en.play }).click();
  await expect
    .poll(() => page.locator('.step[aria-current="step"]').textContent(), { timeout: 15_000 })
    .toContain(en.steps.query.name);
  await page.getByRole("button", { name: en.pause }).click();
  await page.getByRole("button", { name: en.play }).waitFor();
  await close();
});
