// One query, continued: similarities, the root of d, softmax beside ReLU, and the questions.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { grid, LANGUAGES, launch, numberIn, numbersOf, visit } from "./support/browser";
import { expectClose } from "./support/close";
import { WORKED } from "./support/golden";
import { MESSAGES } from "./support/messages";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const en = MESSAGES.en.queryMore;
const open = (query = "") => visit(browser, `?chapter=one-query&lang=en${query}`);

const fact = async (page: Page, exhibit: string, name: string) =>
  numberIn((await page.locator(`#${exhibit} [data-fact="${name}"] dd`).textContent())!);

describe.each(LANGUAGES)("in %s", (language) => {
  it("the similarities and the normalizers have the golden numbers", async () => {
    const { page, problems, close } = await visit(browser, `?chapter=one-query&lang=${language}`);
    const { attention, queryMore: t } = MESSAGES[language];
    const { dot, cosine } = attention.stages.similarities;
    expectClose(await numbersOf(grid(page, t.similarity.scores(dot))), [WORKED.scores[0]], 6);
    expectClose(
      await numbersOf(grid(page, t.similarity.scores(cosine))),
      [[0.6324555, 0.3162278, 0.4780914]],
      6,
    );
    expectClose(
      await numbersOf(grid(page, t.similarity.weights(cosine))),
      [[0.3867195, 0.2818773, 0.3314032]],
      4,
    );
    expectClose(await numbersOf(grid(page, t.normalizers.softmaxTitle)), [WORKED.weights[0]], 4);
    expectClose(await numbersOf(grid(page, t.normalizers.reluTitle)), [[0.2, 0.4, 0.4]], 4);
    expect(problems).toEqual([]);
    await close();
  });
});

it("dot product and cosine rank the keys differently", async () => {
  const { page, close } = await open();
  await page.locator('[data-ranking="dot"]').getByText(en.similarity.ranking("2 = 3 > 1")).waitFor();
  await page
    .locator('[data-ranking="cosine"]')
    .getByText(en.similarity.ranking("1 > 3 > 2"))
    .waitFor();
  await close();
});

it("the weights of the small network can be changed", async () => {
  const { page, close } = await open("&av=0,1");
  const scores = await numbersOf(
    grid(page, en.similarity.scores(MESSAGES.en.attention.stages.similarities.additive)),
  );
  expect(scores[0]![0]).toBeCloseTo(Math.tanh(2), 5);
  await close();
});

it("a constant moves ReLU, not softmax", async () => {
  const { page, close } = await open("&shift=10");
  expect(await fact(page, "normalizers", "softmax")).toBeLessThan(1e-6);
  expect(await fact(page, "normalizers", "relu")).toBeCloseTo(0.1, 4);
  expectClose(
    await numbersOf(grid(page, en.normalizers.reluTitle)),
    [[12 / 40, 14 / 40, 14 / 40]],
    4,
  );
  await close();
});

it("large scores break the exponentials as written, not the core", async () => {
  const { page, close } = await open("&times=100");
  const naive = grid(page, en.normalizers.naiveTitle);
  await naive.waitFor();
  expect(await naive.locator("td[data-row]").allTextContents()).toContain("NaN");
  expectClose(await numbersOf(grid(page, en.normalizers.carefulTitle)), [[0, 0.5, 0.5]], 4);
  await close();
});

it.each([
  [2, 2.03, 0.49, 0.3, 2.08],
  [6, 8.06, 0.87, 0.32, 0.51],
])("2 to the power %d features: deviation, largest weights, entropy", async (power, ...golden) => {
  const { page, problems, close } = await open(`&power=${power}`);
  const [deviation, largest, scaled, bits] = golden as [number, number, number, number];
  await page.getByRole("button", { name: en.root.run("4,000") }).click();
  await expect
    .poll(() => fact(page, "root-d", "trials").catch(() => 0), { timeout: 40_000 })
    .toBe(4000);
  expect(await fact(page, "root-d", "deviation")).toBeCloseTo(deviation, 0);
  expect(Math.abs((await fact(page, "root-d", "largest")) - largest)).toBeLessThan(0.02);
  expect(Math.abs((await fact(page, "root-d", "largest-scaled")) - scaled)).toBeLessThan(0.02);
  expect(Math.abs((await fact(page, "root-d", "bits")) - bits)).toBeLessThan(0.08);
  expect(Math.abs((await fact(page, "root-d", "bits-scaled")) - 2.8)).toBeLessThan(0.08);
  expect(problems).toEqual([]);
  await close();
});

it.each(["power=99", "shift=x", "times=1000000000", "sq=1,2", "scores=1,2,three"])(
  "leaves out %s and says so",
  async (entry) => {
    const { page, problems, close } = await open(`&${entry}`);
    await page.getByRole("alert").first().waitFor();
    expect(await fact(page, "root-d", "dim")).toBe(64);
    expect(problems).toEqual([]);
    await close();
  },
);

it("the questions know their answers", async () => {
  const { page, close } = await open();
  const right = { score: "12", output: "1.667", relu: "40%", shift: "0.0634" };
  for (const [id, answer] of Object.entries(right)) {
    await page.locator(`form[data-question="${id}"]`).getByRole("textbox").fill(answer);
    await page.keyboard.press("Enter");
    await page.locator(`form[data-question="${id}"][data-verdict="right"]`).waitFor();
  }
  await close();
});
