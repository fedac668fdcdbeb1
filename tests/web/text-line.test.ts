// The blocks of a trained model: the core's weights are those that onnxruntime gave for the same
// numbers, when they were made (web/data/make/text-line.mjs).
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LANGUAGES, launch, numberIn, spoken, visit } from "./support/browser";
import { MESSAGES } from "./support/messages";
import expected from "./support/text-line.json" with { type: "json" };

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const en = MESSAGES.en;
const open = (query: string, language = "en") =>
  visit(browser, `?chapter=neighbours&lang=${language}${query}`);

/** A row of the table, through all its pages. */
async function rowOf(page: Page, name: string): Promise<number[]> {
  const exhibit = page.locator("#text-line");
  await exhibit.getByText(en.textLine.table, { exact: true }).click();
  const table = exhibit.getByRole("table", { name: en.textLine.table });
  const later = exhibit.getByRole("button", { name: en.table.laterColumns });
  const row: number[] = [];
  await table.waitFor();
  for (;;) {
    const cells = await table
      .locator("tbody tr", { has: page.getByRole("rowheader", { name, exact: true }) })
      .locator("td")
      .allTextContents();
    row.push(...cells.map(numberIn));
    if (await later.isDisabled()) return row;
    await later.click();
  }
}

it.each(expected.weights)("sees what the model sees: $block, $head, $strip", async (want) => {
  const { page, problems, close } = await open(
    `&block=${want.block}&head=${want.head}&strip=${want.strip}`,
  );
  const row = await rowOf(page, en.textLine.headName(want.head));
  expect(row).toHaveLength(want.row.length);
  row.forEach((weight, strip) => expect(weight).toBeCloseTo(want.row[strip]!, 4));
  const top = want.row.indexOf(Math.max(...want.row));
  const fact = page.locator('#text-line [data-fact="top"] dd');
  expect(await fact.textContent()).toBe(en.textLine.stripName(top + 1));
  expect(problems).toEqual([]);
  await close();
});

describe.each(LANGUAGES)("in %s", (language) => {
  const t = MESSAGES[language].textLine;

  it("shows the line, says where its weights are from, and counts strips", async () => {
    const { page, problems, close } = await open("", language);
    const exhibit = page.locator("#text-line");
    await exhibit.getByRole("img", { name: t.picture }).waitFor();
    expect(await exhibit.getByText("PP-OCRv4").count()).toBe(1);
    await exhibit.getByText(t.looksMost(4, 31), { exact: true }).waitFor();
    expect(problems).toEqual([]);
    await close();
  });
});

it("is walked by keyboard, and asks from where the reader presses Enter", async () => {
  const { page, close } = await open("&block=1&head=1&strip=20");
  const { textLine } = en;
  await page.getByRole("application", { name: textLine.weightsOf(20) }).focus();
  await page.keyboard.press("ArrowRight");
  await spoken(page, new RegExp(`${textLine.headName(1)}, ${textLine.stripName(2)}, weight 0\\.\\d+`));
  await page.keyboard.press("Enter");
  await page.getByRole("application", { name: textLine.weightsOf(2) }).waitFor();
  await close();
});

it("says so when the weights do not arrive", async () => {
  const { page, close } = await visit(browser, "?chapter=neighbours&lang=en", {
    own: {},
    expected: /blocks-/,
    before: (one) => one.route(/blocks-[^/]*\.bin/, (route) => route.abort()),
  });
  await page.getByText(en.textLine.absent, { exact: true }).waitFor();
  await close();
});

it.each(["&block=3", "&head=9", "&strip=0"])("leaves %s out and says so", async (entries) => {
  const { page, problems, close } = await open(entries);
  const alert = page.getByRole("alert").filter({ hasText: en.textLine.takes });
  await alert.waitFor();
  expect(problems).toEqual([]);
  await close();
});
