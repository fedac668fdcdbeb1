// The positional encoding: golden rows and periods, and what the reader can change.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { grid, LANGUAGES, launch, numberIn, numbersOf, visit } from "./support/browser";
import { expectClose } from "./support/close";
import { POSITIONS } from "./support/golden";
import { MESSAGES } from "./support/messages";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const en = MESSAGES.en.position;
const open = (query: string) => visit(browser, `?chapter=position&lang=en${query}`);

const periods = async (page: Page) =>
  (await page.locator("#positional-encoding .scroll table strong").allTextContents()).map(numberIn);

async function set(page: Page, name: string, value: string): Promise<void> {
  const field = page.getByRole("textbox", { name, exact: true });
  await field.fill(value);
  await field.press("Enter");
}

describe.each(LANGUAGES)("the encoding in %s", (language) => {
  const t = MESSAGES[language].position;

  it("has the golden rows and periods", async () => {
    const { page, problems, close } = await visit(browser, `?chapter=position&lang=${language}`);
    const shown = await numbersOf(grid(page, t.tensors.P));
    expectClose(shown, Object.values(POSITIONS), 6);
    expect(await periods(page)).toEqual([35.33, 62.83]);
    expect(problems).toEqual([]);
    await close();
  });
});

it("proves each period by turning that far", async () => {
  const { page, close } = await open("");
  const cells = page.locator("#positional-encoding .scroll tbody td:last-child");
  for (const text of await cells.allTextContents()) {
    const [cosine, sine] = text.split(", ").map(numberIn);
    expect(cosine).toBeCloseTo(1, 6);
    expect(Math.abs(sine!)).toBeLessThan(1e-5);
  }
  await close();
});

it("shows other columns, with their periods", async () => {
  const { page, close } = await open("");
  for (const column of [6, 7]) {
    await page.getByRole("button", { name: en.removeColumn(column) }).click();
  }
  await page.getByRole("textbox", { name: en.addColumn }).fill("0");
  await page.getByRole("button", { name: en.addColumn }).click();
  expect(await periods(page)).toEqual([6.28, 62.83]);
  expect((await numbersOf(grid(page, en.tensors.P)))[1]![2]).toBeCloseTo(Math.sin(1), 6);
  await close();
});

it.each(["99", "8", "x", "-1", "1.5"])("refuses the column “%s”", async (text) => {
  const { page, close } = await open("");
  await page.getByRole("textbox", { name: en.addColumn }).fill(text);
  await page.getByRole("button", { name: en.addColumn }).click();
  await page
    .getByRole("alert")
    .filter({ hasText: en.columnRange(31) })
    .waitFor();
  expect(await periods(page)).toEqual([35.33, 62.83]);
  await close();
});

it("follows n and d, and fits the columns into what is left", async () => {
  const { page, problems, close } = await open("");
  await set(page, en.positions, "10");
  expect(await numbersOf(grid(page, en.tensors.P))).toHaveLength(4);
  await set(page, en.features, "8");
  expect((await numbersOf(grid(page, en.tensors.P)))[0]).toHaveLength(2);
  await page.getByText("10 × 8", { exact: true }).waitFor();
  await page.getByRole("slider", { name: en.positions }).focus();
  await page.keyboard.press("ArrowRight");
  await page.getByText("11 × 8", { exact: true }).waitFor();
  expect(problems).toEqual([]);
  await close();
});

it.each([
  ["1000000000", "It takes a whole number from 1 to 200."],
  ["zehn", "It takes a whole number from 1 to 200."],
  ["2.5", "It takes a whole number from 1 to 200."],
])("says what n takes when it is given “%s”", async (text, sentence) => {
  const { page, close } = await open("");
  await set(page, en.positions, text);
  await page.getByRole("alert").filter({ hasText: sentence }).waitFor();
  await page.getByText("60 × 32", { exact: true }).waitFor();
  await close();
});

it("adds the reader's input to P", async () => {
  const { page, close } = await open("");
  const cell = grid(page, en.tensors.X).locator('td[data-row="1"][data-column="0"]');
  await cell.click();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("2");
  await page.keyboard.press("Enter");
  const sum = await numbersOf(grid(page, en.tensors.sum));
  expectClose([sum[1]!], [[2.176892186, ...POSITIONS[1]!.slice(1)]], 3);
  expectClose([sum[2]!], [[...POSITIONS[2]!]], 3);
  await close();
});

it("drops numbers with the probability p and scales the others", async () => {
  const { page, close } = await open("");
  await set(page, en.dropout, "0.5");
  const dropped = await numbersOf(grid(page, en.tensors.dropped));
  const plain = await numbersOf(grid(page, en.tensors.P));
  dropped.forEach((row, i) =>
    row.forEach((value, j) => {
      const kept = i < 3 ? plain[i]![j]! * 2 : Number.NaN;
      if (value !== 0 && i < 3) expect(value).toBeCloseTo(kept, 3);
    }),
  );
  expect(dropped.flat().filter((value) => value === 0).length).toBeGreaterThan(3);
  await set(page, en.seed, "1");
  expect(await numbersOf(grid(page, en.tensors.dropped))).not.toEqual(dropped);
  await set(page, en.seed, "0");
  expect(await numbersOf(grid(page, en.tensors.dropped))).toEqual(dropped);
  await close();
});

it("keeps the values behind the pictures as tables", async () => {
  const { page, close } = await open("");
  await page.getByText(en.heatTable).click();
  const table = page.getByRole("table", { name: en.heatTable });
  expect((await numbersOf(table))[1]![6]).toBeCloseTo(0.176892186, 6);
  await page.getByRole("button", { name: MESSAGES.en.table.laterRows }).click();
  expect((await numbersOf(table))[15]![6]).toBeCloseTo(POSITIONS[31]![0]!, 6);
  await page.getByText(en.table, { exact: true }).click();
  const curves = page.getByRole("table", { name: en.table, exact: true });
  expect((await numbersOf(curves))[9]![1]).toBeCloseTo(POSITIONS[9]![1]!, 6);
  await close();
});
