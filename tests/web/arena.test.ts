// The arena: what was published, with its means made anew, and the whole catalogue measured.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LANGUAGES, launch, spoken, visit } from "./support/browser";
import { MESSAGES } from "./support/messages";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const en = MESSAGES.en.arena;
const open = (query: string) => visit(browser, `?chapter=arena&lang=en${query}`);

/** Mean of the five tasks, and examples a second at 4K where they were timed. */
const GOLDEN = [
  ["1 Transformer", "54.39", "44.8"],
  ["2 Local Attention", "46.06", "236.8"],
  ["3 Sparse Transformer", "51.24", null],
  ["4 Longformer", "53.46", null],
  ["5 Linformer", "51.36", "246.4"],
  ["6 Reformer", "50.67", "35.2"],
  ["7 Sinkhorn Transformer", "51.48", "169.6"],
  ["8 Synthesizer", "52.88", "60.8"],
  ["9 BigBird", "55.01", "48"],
  ["10 Linear Transformer", "50.55", "249.6"],
  ["11 Performer", "51.41", "256"],
] as const;

describe.each(LANGUAGES)("the arena in %s", (language) => {
  const t = MESSAGES[language].arena.published;

  it("has the golden means and speeds, and says what was not timed", async () => {
    const { page, problems, close } = await visit(browser, `?chapter=arena&lang=${language}`);
    await page.locator("#published").getByText(t.table, { exact: true }).click();
    const table = page.getByRole("table", { name: t.table });
    await table.waitFor();
    for (const [name, mean, speed] of GOLDEN) {
      const row = table.getByRole("row", { name: new RegExp(`^${name} `) });
      const cells = await row.locator("td").allTextContents();
      expect(cells.slice(5, 7)).toEqual([mean, speed ?? t.notTimed]);
    }
    await page.getByText(t.baselines(17, 36), { exact: true }).waitFor();
    expect(problems).toEqual([]);
    await close();
  });
});

it("draws both baselines of ListOps", async () => {
  const { page, close } = await open("&score=listops");
  const chart = page.getByRole("application", { name: en.published.chart });
  await chart.getByText(en.published.majority(17), { exact: true }).waitFor();
  await chart.getByText(en.published.root(36), { exact: true }).waitFor();
  await close();
});

it("is walked by keyboard from the slowest model to the fastest", async () => {
  const { page, close } = await open("");
  await page.getByRole("application", { name: en.published.chart }).focus();
  await spoken(page, en.published.reading("Reformer", "35.2", "50.67", "2.28"));
  await page.keyboard.press("End");
  await spoken(page, en.published.reading("Performer", "256", "51.41", "1.06"));
  await page.keyboard.press("Escape");
  await close();
});

it.each(["&score=best", "&length=9", "&family=all"])("leaves %s out and says so", async (entry) => {
  const { page, problems, close } = await open(entry);
  const alert = page.getByRole("alert").filter({ hasText: MESSAGES.en.exhibit.addressRefused });
  await alert.first().waitFor();
  expect(problems).toEqual([]);
  await close();
});

it("lists the whole catalogue, measures it, and can be stopped", async () => {
  const { page, problems, close } = await open("");
  const exhibit = page.locator("#yours");
  await exhibit.getByText(en.yours.table, { exact: true }).click();
  await exhibit.getByRole("table").locator("tbody tr").first().waitFor();
  expect(await exhibit.getByRole("table").locator("tbody tr").count()).toBeGreaterThan(25);
  await exhibit.getByRole("button", { name: MESSAGES.en.measuring.measure }).click();
  await exhibit.locator('[data-bar="attention"]').waitFor({ timeout: 30_000 });
  await exhibit.getByRole("button", { name: MESSAGES.en.measuring.stop }).click();
  await exhibit.getByText(MESSAGES.en.measuring.stopped).waitFor();
  expect(problems).toEqual([]);
  await close();
});

it("checks the answers to its questions", async () => {
  const { page, close } = await open("");
  for (const [id, answer] of [
    ["mean", "51.48"],
    ["faster", "5.7"],
    ["memory", "11.2"],
    ["grows", "16"],
  ] as const) {
    const form = page.locator(`[data-question="${id}"]`);
    await form.getByRole("textbox").fill(answer);
    await form.getByRole("button", { name: MESSAGES.en.questions.check }).click();
    await expect.poll(() => form.getAttribute("data-verdict")).toBe("right");
  }
  await close();
});
