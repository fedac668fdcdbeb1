// Sets of vectors: three kinds of data, three shapes, the same word twice, and how far one sees.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectNoViolations } from "./support/axe";
import { LANGUAGES, launch, numberIn, spoken, visit } from "./support/browser";
import { MESSAGES } from "./support/messages";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const en = MESSAGES.en.sets;
const open = (query = "") => visit(browser, `?chapter=sets&lang=en${query}`);

const fact = async (page: Page, exhibit: string, name: string) =>
  (await page.locator(`#${exhibit} [data-fact="${name}"] dd`).textContent())!.trim();

const distance = async (page: Page, way: string) =>
  numberIn((await page.locator(`#same-word [data-bar="${way}"] .number`).textContent())!);

describe.each(LANGUAGES)("in %s", (language) => {
  it("the two saw differ by their positions only", async () => {
    const { page, problems, close } = await visit(browser, `?chapter=sets&lang=${language}`);
    expect(await distance(page, "word")).toBe(0);
    expect(await distance(page, "attention")).toBe(0);
    expect(await distance(page, "position")).toBeCloseTo(4.539726, 4);
    expect(await distance(page, "both")).toBeGreaterThan(0.01);
    expect(await distance(page, "window")).toBeGreaterThan(0.01);
    expect(problems).toEqual([]);
    await close();
  });
});

it("a window of 0 tells nothing apart", async () => {
  const { page, close } = await open("&window=0");
  expect(await distance(page, "window")).toBe(0);
  await close();
});

it("says when no word stands twice", async () => {
  const { page, close } = await open("&words=one+two+three");
  await page.getByText(en.same.nothingTwice).waitFor();
  await close();
});

it.each([
  ["", "4 × 8"],
  ["&text=天涯若比邻", "5 × 8"],
  ["&door=sound&sound=1000", "98 × 8"],
  ["&door=graph&nodes=24", "24 × 8"],
])("the door %s leads to %s", async (query, shape) => {
  const { page, problems, close } = await open(query);
  expect(await fact(page, "three-doors", "shape")).toBe(shape);
  expect(problems).toEqual([]);
  await close();
});

it("a sentence that is too long is refused, and the last good one stays", async () => {
  const { page, close } = await open();
  const field = page.locator("#three-doors").getByRole("textbox", { name: en.doors.sentence });
  await field.fill("word ".repeat(17));
  await page.keyboard.press("Enter");
  await page.getByRole("alert").filter({ hasText: en.takesWords(16) }).waitFor();
  expect(await fact(page, "three-doors", "shape")).toBe("4 × 8");
  await close();
});

it.each([
  ["each", "5 × 5", "5 × 4"],
  ["one", "1 × 5", "1 × 4"],
  ["many", "3 × 5", "3 × 4"],
])("the shape %s has weights %s and gives %s", async (shape, weights, out) => {
  const { page, close } = await open(`&shape=${shape}`);
  expect(await fact(page, "three-shapes", "weights")).toBe(weights);
  expect(await fact(page, "three-shapes", "out")).toBe(out);
  await close();
});

it.each([
  ["", 13],
  ["&radius=0", 1],
  ["&layers=1", 5],
  ["&radius=8&layers=2", 24],
  ["&token=1", 7],
])("a change reaches, with %s, %d tokens", async (query, count) => {
  const { page, close } = await open(query);
  expect(await fact(page, "reach", "count")).toBe(String(count));
  await close();
});

it("the map of the reach is walked by arrows", async () => {
  const { page, close } = await open();
  await page.getByRole("application", { name: en.reach.map(3) }).focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.press("ArrowLeft");
  await spoken(page, `layer 3, token 23, ${en.reach.touched} 0`);
  await close();
});

it.each(["nodes=1000000000", "text=", "door=window", "radius=-1", "shape=all", "n=1.5"])(
  "leaves out %s and says so",
  async (entry) => {
    const { page, problems, close } = await open(`&${entry}`);
    await page.getByRole("alert").first().waitFor();
    expect(await fact(page, "three-doors", "shape")).toBe("4 × 8");
    expect(problems).toEqual([]);
    await close();
  },
);

it("the questions know their answers", async () => {
  const { page, close } = await open();
  for (const [id, answer] of Object.entries({ frames: 98, weights: 36, saw: 0, layers: 17 })) {
    const form = page.locator(`form[data-question="${id}"]`);
    await form.getByRole("textbox").fill(String(answer));
    await page.keyboard.press("Enter");
    await page.locator(`form[data-question="${id}"][data-verdict="right"]`).waitFor();
  }
  await close();
});

it("has no violations with many answers", async () => {
  const { page, close } = await open("&shape=many");
  await expectNoViolations(page, "#three-shapes");
  await close();
});
