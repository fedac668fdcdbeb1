// Everything by keyboard alone, with what a screen reader is told.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { grid, launch, numbersOf, spoken, visit } from "./support/browser";
import { MESSAGES } from "./support/messages";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const t = MESSAGES.en;
const focused = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement as HTMLElement;
    if (element === document.body) return "";
    const { row, column } = element.dataset;
    return row === undefined ? element.textContent!.trim() : `${row},${column}`;
  });

/** Presses Tab until the focus is where `there` says, at most 120 times. */
async function tabTo(page: Page, there: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 120; i += 1) {
    if (await there()) return;
    await page.keyboard.press("Tab");
  }
  throw new Error("Tab does not lead there");
}

const insideOf = (page: Page, title: string) => () =>
  grid(page, title).evaluate((table) => table.contains(document.activeElement));

it("starts with a link that skips to the chapter", async () => {
  const { page, close } = await visit(browser, "?lang=en");
  await page.keyboard.press("Tab");
  expect(await focused(page)).toBe(t.app.skip);
  await page.keyboard.press("Enter");
  expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
  await close();
});

it("visits a chapter and arrives at its heading", async () => {
  const { page, close } = await visit(browser, "?lang=en");
  await tabTo(page, async () => (await focused(page)).includes(t.position.title));
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: t.position.title }).waitFor();
  await expect.poll(() => focused(page)).toBe(t.position.title);
  await close();
});

describe("in a matrix", () => {
  it("Tab enters once, arrows move, and each cell is spoken", async () => {
    const { page, close } = await visit(browser, "?chapter=one-query&lang=en&step=softmax");
    await tabTo(page, insideOf(page, t.oneQuery.tensors.weights));
    await page.keyboard.press("Control+Home");
    expect(await focused(page)).toBe("0,0");
    await spoken(page, /^query 1, key 1, weight 0\.06337893\d*$/);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    expect(await focused(page)).toBe("1,1");
    await spoken(page, /^query 2, key 2, weight 0\.98200\d+$/);
    await page.keyboard.press("End");
    expect(await focused(page)).toBe("1,2");
    await page.keyboard.press("ArrowRight");
    expect(await focused(page)).toBe("1,2");
    await page.keyboard.press("Tab");
    expect(await insideOf(page, t.oneQuery.tensors.weights)()).toBe(false);
    await close();
  });

  it("Escape leaves, and Tab goes on from there", async () => {
    const { page, close } = await visit(browser, "?chapter=one-query&lang=en&step=softmax");
    await tabTo(page, insideOf(page, t.oneQuery.tensors.dot));
    await page.keyboard.press("Escape");
    expect(await insideOf(page, t.oneQuery.tensors.dot)()).toBe(false);
    await page.keyboard.press("Tab");
    expect(await insideOf(page, t.oneQuery.tensors.weights)()).toBe(true);
    await close();
  });

  it("Enter edits, Enter accepts, Escape drops", async () => {
    const { page, close } = await visit(browser, "?chapter=one-query&lang=en");
    const cell = grid(page, t.oneQuery.tensors.x).locator('td[data-row="0"][data-column="1"]');
    await tabTo(page, insideOf(page, t.oneQuery.tensors.x));
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.getByRole("textbox", { name: "New number for input 1, feature 2" }).waitFor();
    await page.keyboard.type("7");
    await page.keyboard.press("Escape");
    expect(await cell.textContent()).toBe("0");
    expect(await focused(page)).toBe("0,1");
    await page.keyboard.press("Enter");
    await page.keyboard.type("3");
    await page.keyboard.press("Enter");
    expect(await cell.textContent()).toBe("3");
    expect(await focused(page)).toBe("0,1");
    // Key 1 is now (1, 3, 1, 0) W_K.
    expect((await numbersOf(grid(page, t.oneQuery.tensors.key)))[0]).toEqual([3, 4, 1]);
    await close();
  });

  it("a digit starts an edit, as in a spreadsheet", async () => {
    const { page, close } = await visit(browser, "?chapter=one-query&lang=en");
    await tabTo(page, insideOf(page, t.oneQuery.tensors.x));
    await page.keyboard.type("5");
    await page.keyboard.press("Enter");
    expect(await focused(page)).toBe("0,0");
    expect((await numbersOf(grid(page, t.oneQuery.tensors.x)))[0]![0]).toBe(5);
    await close();
  });

  it("nothing can be edited where the numbers are results", async () => {
    const { page, close } = await visit(browser, "?chapter=one-query&lang=en");
    await tabTo(page, insideOf(page, t.oneQuery.tensors.key));
    await page.keyboard.press("Enter");
    expect(await page.locator("td input").count()).toBe(0);
    await close();
  });
});

it("walks through the steps", async () => {
  const { page, close } = await visit(browser, "?chapter=one-query&lang=en");
  await tabTo(page, async () => (await focused(page)) === t.oneQuery.forward);
  for (let step = 1; step < 8; step += 1) await page.keyboard.press("Enter");
  await grid(page, t.oneQuery.tensors.output).waitFor();
  await close();
});

describe("in the pictures of the positions", () => {
  const inside = (page: Page, name: string) => () =>
    page
      .getByRole("application", { name })
      .evaluate((element) => element === document.activeElement);

  it("the curves are walked by arrows", async () => {
    const { page, close } = await visit(browser, "?chapter=position&lang=en");
    await tabTo(page, inside(page, t.position.chart("6, 7, 8, 9")));
    await spoken(page, /^position 9, column 6, value 0\.99956\d+$/);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowDown");
    await spoken(page, /^position 10, column 7, value −0\.2059\d+$/);
    await page.keyboard.press("Escape");
    expect(await inside(page, t.position.chart("6, 7, 8, 9"))()).toBe(false);
    await close();
  });

  it("the heat map is walked by arrows, and Enter chooses a column", async () => {
    const { page, close } = await visit(browser, "?chapter=position&lang=en");
    await tabTo(page, inside(page, t.position.heatTitle(60, 32)));
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowUp");
    await spoken(page, /^position 8, column 5, value /);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: t.position.removeColumn(5) }).waitFor();
    await close();
  });
});
