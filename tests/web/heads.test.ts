// Heads by hand, and the textbook's layer.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectNoViolations } from "./support/axe";
import { grid, LANGUAGES, launch, numberIn, numbersOf, spoken, visit } from "./support/browser";
import { expectClose } from "./support/close";
import { MESSAGES } from "./support/messages";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const en = MESSAGES.en.heads;
const open = (query: string) => visit(browser, `?chapter=heads&lang=en${query}`);

// Scores of 4 between tokens that are alike, 0 else, divided by the root of 2.
const ALIKE = Math.exp(4 / Math.SQRT2);
const NEAR = ALIKE / (2 * ALIKE + 1);
const FAR = 1 / (2 * ALIKE + 1);
const ALONE = [1 / (ALIKE + 2), ALIKE / (ALIKE + 2)] as const;

const FIRST = [
  [NEAR, FAR, NEAR],
  [ALONE[0], ALONE[1], ALONE[0]],
  [NEAR, FAR, NEAR],
];
const SECOND = [
  [NEAR, NEAR, FAR],
  [NEAR, NEAR, FAR],
  [ALONE[0], ALONE[0], ALONE[1]],
];

const times = (a: readonly (readonly number[])[], b: readonly (readonly number[])[]) =>
  a.map((row) =>
    b[0]!.map((_, column) => row.reduce((sum, value, k) => sum + value * b[k]![column]!, 0)),
  );

describe.each(LANGUAGES)("the heads in %s", (language) => {
  const t = MESSAGES[language].heads;

  it("have their own weights, and the last matrix adds and subtracts them", async () => {
    const { page, problems, close } = await visit(browser, `?chapter=heads&lang=${language}`);
    expectClose(await numbersOf(grid(page, t.tensors.weights(1))), FIRST, 4);
    expectClose(await numbersOf(grid(page, t.tensors.weights(2))), SECOND, 4);
    const one = times(FIRST, [[2, 0], [0, 2], [2, 0]]);
    const two = times(SECOND, [[0, 2], [0, 2], [2, 0]]);
    const result = one.map((row, i) => [
      ...row.map((value, j) => value + two[i]![j]!),
      ...row.map((value, j) => value - two[i]![j]!),
    ]);
    expectClose(await numbersOf(grid(page, t.tensors.result)), result, 4);
    const gap = await page.locator("#two-heads .gap").textContent();
    expect(numberIn(/([\d.e−]+)\S*$/.exec(gap!)![1]!.replace(/\.$/, ""))).toBeLessThan(1e-5);
    expect(problems).toEqual([]);
    await close();
  });

  it("of the textbook's layer see the valid tokens only", async () => {
    const { page, problems, close } = await visit(
      browser,
      `?chapter=heads&lang=${language}&head=3`,
    );
    const third = Array.from({ length: 4 }, () => [1 / 3, 1 / 3, 1 / 3, 0]);
    expectClose(await numbersOf(grid(page, t.layer.headTitle(3))), third, 4);
    const fact = (id: string) => page.locator(`#d2l-layer [data-fact="${id}"] dd`).textContent();
    expect(await fact("output")).toBe("(2, 4, 100)");
    expect(await fact("weights")).toBe("(2, 5, 4, 4)");
    expect(await fact("parameters")).toBe("40,000");
    await page.getByRole("radio", { name: t.layer.sequences(2, 2) }).check();
    const half = Array.from({ length: 4 }, () => [0.5, 0.5, 0, 0]);
    expect(await numbersOf(grid(page, t.layer.headTitle(3)))).toEqual(half);
    await page.getByText(t.layer.rowGap("0"), { exact: true }).waitFor();
    expect(problems).toEqual([]);
    await close();
  });
});

it.each([1, 2, 4, 10, 20])("keeps the parameters with %i heads", async (heads) => {
  const { page, close } = await open(`&heads=${heads}`);
  const fact = (id: string) => page.locator(`#d2l-layer [data-fact="${id}"] dd`).textContent();
  expect(await fact("parameters")).toBe("40,000");
  expect(await fact("width")).toBe(String(100 / heads));
  expect(await page.locator("#d2l-layer .small button").count()).toBe(heads);
  await close();
});

it("says in the core's words why three heads do not go", async () => {
  const { page, problems, close } = await open("");
  await page.getByRole("textbox", { name: en.layer.count, exact: true }).fill("3");
  await page.keyboard.press("Enter");
  const alert = page.locator("#d2l-layer").getByRole("alert");
  await alert.filter({ hasText: "embedDim 100 is not divisible by numHeads 3" }).waitFor();
  await page.getByRole("textbox", { name: en.layer.count, exact: true }).fill("1000000000");
  await page.keyboard.press("Enter");
  await alert.filter({ hasText: MESSAGES.en.exhibit.takesNumber(1, 20, 1) }).waitFor();
  expect(problems).toEqual([]);
  await close();
});

it("drops half of the weights in training", async () => {
  const { page, close } = await open("&training=1");
  const weights = (await numbersOf(grid(page, en.layer.headTitle(1)))).flat();
  for (const weight of weights) expect([0, 0.6667]).toContain(weight);
  await close();
});

it("joins one head and four, and takes the reader's numbers", async () => {
  const { page, close } = await open("&split=1");
  const near = Math.exp(2);
  const sum = Math.exp(4) + 2 * near;
  const weights = await numbersOf(grid(page, en.tensors.weights(1)));
  expectClose([weights[0]!], [[Math.exp(4) / sum, near / sum, near / sum]], 4);
  await page.getByRole("radio", { name: "4", exact: true }).check();
  await grid(page, en.tensors.weights(4)).waitFor();
  const cell = grid(page, en.tensors.wOutput).locator('td[data-row="0"][data-column="0"]');
  await cell.focus();
  await page.keyboard.type("5");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.url()).toContain("wo=5,0,1,0");
  await close();
});

it("is walked by keyboard, and each cell is spoken", async () => {
  const { page, close } = await open("");
  await grid(page, en.tensors.weights(2)).locator('td[data-row="0"][data-column="0"]').focus();
  await page.keyboard.press("ArrowRight");
  await spoken(page, /^query 1, key 2, weight 0\.4857\d*|0\.4856\d*$/);
  await close();
});

it.each(["&heads=21", "&split=3", "&head=x"])("leaves %s out and says so", async (entries) => {
  const { page, problems, close } = await open(entries);
  const alert = page.getByRole("alert").filter({ hasText: MESSAGES.en.exhibit.addressRefused });
  await alert.waitFor();
  expect(problems).toEqual([]);
  await close();
});

it("checks the answers to its questions", async () => {
  const { page, close } = await open("");
  for (const [id, answer] of [
    ["first", "48.6 %"],
    ["one", "0.1065"],
    ["valid", "0.5"],
    ["parameters", "40000"],
  ] as const) {
    const form = page.locator(`[data-question="${id}"]`);
    await form.getByRole("textbox").fill(answer);
    await form.getByRole("button", { name: MESSAGES.en.questions.check }).click();
    await expect.poll(() => form.getAttribute("data-verdict")).toBe("right");
  }
  await close();
});

it("has no violations when it refuses the number of heads", async () => {
  const { page, close } = await visit(browser, "?chapter=heads&lang=en&heads=3");
  await expectNoViolations(page);
  await close();
});
