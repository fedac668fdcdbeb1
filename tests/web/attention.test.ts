// What attention is: the focus, the three stages, soft and hard, and the questions.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectNoViolations } from "./support/axe";
import { grid, LANGUAGES, launch, numberIn, numbersOf, spoken, visit } from "./support/browser";
import { expectClose } from "./support/close";
import { WORKED } from "./support/golden";
import { MESSAGES } from "./support/messages";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const en = MESSAGES.en.attention;
const open = (query = "") => visit(browser, `?chapter=attention&lang=en${query}`);

const fact = async (page: Page, exhibit: string, name: string) =>
  (await page.locator(`#${exhibit} [data-fact="${name}"] dd`).textContent())!.trim();

describe.each(LANGUAGES)("the three stages in %s", (language) => {
  it("have the golden numbers", async () => {
    const { page, problems, close } = await visit(browser, `?chapter=attention&lang=${language}`);
    const t = MESSAGES[language].attention.stages;
    expectClose(await numbersOf(grid(page, t.tensors.scores)), [WORKED.scores[0]], 6);
    expectClose(await numbersOf(grid(page, t.tensors.weights)), [WORKED.weights[0]], 4);
    expectClose(await numbersOf(grid(page, t.tensors.output)), [WORKED.output[0]], 6);
    expect(problems).toEqual([]);
    await close();
  });
});

it("cosine prefers another key", async () => {
  const { page, close } = await open("&similarity=cosine");
  const t = en.stages.tensors;
  expectClose(await numbersOf(grid(page, t.scores)), [[0.6324555, 0.3162278, 0.4780914]], 6);
  expectClose(await numbersOf(grid(page, t.weights)), [[0.3867195, 0.2818773, 0.3314032]], 4);
  await close();
});

it("the additive score is a small network", async () => {
  const { page, close } = await open("&similarity=additive");
  // By hand: W q = (1, 1), U k = (-0.5, 1) for the first key.
  const first = 2 * Math.tanh(0.5) + Math.tanh(2);
  const scores = await numbersOf(grid(page, en.stages.tensors.scores));
  expect(scores[0]![0]).toBeCloseTo(first, 5);
  await close();
});

it("a cold focus has one item, a hot one all alike", async () => {
  const cold = await open("&heat=-4");
  expect(await fact(cold.page, "focus", "largest")).toBe("1.0000");
  expect(await fact(cold.page, "focus", "needed")).toBe("1");
  expect(numberIn(await fact(cold.page, "focus", "bits"))).toBeLessThan(0.001);
  await cold.close();
  const even = await open("&marks=none");
  expect(await fact(even.page, "focus", "largest")).toBe("0.0156");
  expect(await fact(even.page, "focus", "bits")).toBe("6");
  expect(await fact(even.page, "focus", "needed")).toBe("58");
  await even.close();
});

it("an item is raised by keyboard, and undone", async () => {
  const { page, close } = await open();
  const map = page.getByRole("application", { name: en.focus.saliencyTitle });
  await map.focus();
  await page.keyboard.press("ArrowRight");
  await spoken(page, "row 2, column 7, level 0");
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowRight");
  await spoken(page, "row 2, column 7, level 1");
  await expect.poll(() => new URL(page.url()).searchParams.get("marks")).toContain("161");
  await page.locator("#focus").getByRole("button", { name: MESSAGES.en.exhibit.undo }).click();
  await expect.poll(() => new URL(page.url()).searchParams.get("marks")).toBe(null);
  await close();
});

describe("soft and hard", () => {
  const slope = (page: Page, name: string) =>
    page.locator(`#soft-hard [data-bar="${name}"] .number`).textContent();

  it.each([
    ["item-soft", "1 × 24", "1"],
    ["location-soft", "1 × 24", "2"],
    ["item-hard", "1 × 1", "1"],
    ["location-hard", "1 × 3", "1"],
  ])("%s gives %s with %s parameters", async (way, size, count) => {
    const { page, close } = await open(`&way=${way}`);
    expect(await fact(page, "soft-hard", "out")).toBe(size);
    expect(await fact(page, "soft-hard", "parameters")).toBe(count);
    const name = way.startsWith("item") ? "beta" : "column";
    const value = numberIn((await slope(page, name))!);
    if (way.endsWith("hard")) expect(value).toBe(0);
    else expect(Math.abs(value)).toBeGreaterThan(0.01);
    await close();
  });

  it("the image keeps its size, or is cut", async () => {
    const soft = await open("&input=digit&way=location-soft&column=3");
    expect(await fact(soft.page, "soft-hard", "out")).toBe("8 × 8");
    expect(await fact(soft.page, "soft-hard", "parameters")).toBe("3");
    await soft.close();
    const crop = await open("&input=digit&way=location-hard&column=4&row=3");
    expect(await fact(crop.page, "soft-hard", "out")).toBe("3 × 3");
    // Rows 2 to 4 and columns 3 to 5 of the digit.
    expect(await fact(crop.page, "soft-hard", "total")).toBe("59");
    await crop.close();
  });
});

it.each(["heat=hot", "heat=99", "marks=995", "q=1,2", "way=best", "column=1000000000"])(
  "leaves out %s and says so",
  async (entry) => {
    const { page, problems, close } = await open(`&${entry}`);
    await page.getByRole("alert").first().waitFor();
    expect(await fact(page, "focus", "temperature")).toBe("1");
    expect(problems).toEqual([]);
    await close();
  },
);

describe("the questions", () => {
  const RIGHT = { even: "1.5625 %", two: ".88", cosine: "0.632", hard: "5" };

  it("are answered by keyboard, and the answers stay", async () => {
    const { page, problems, close } = await open();
    for (const [id, answer] of Object.entries(RIGHT)) {
      const form = page.locator(`form[data-question="${id}"]`);
      await form.getByRole("textbox").focus();
      await page.keyboard.type(answer);
      await page.keyboard.press("Enter");
      await spoken(page, MESSAGES.en.questions.right);
      expect(await form.getAttribute("data-verdict"), id).toBe("right");
    }
    await page.reload();
    await page.locator('form[data-question="hard"][data-verdict="right"]').waitFor();
    expect(problems).toEqual([]);
    await close();
  });

  it("a wrong answer may be tried again, or told", async () => {
    const { page, close } = await open();
    const form = page.locator('form[data-question="hard"]');
    await form.getByRole("textbox").fill("4,5");
    await form.getByRole("button", { name: MESSAGES.en.questions.check }).click();
    await form.getByText(MESSAGES.en.questions.takes).waitFor();
    await form.getByRole("textbox").fill("4");
    await page.keyboard.press("Enter");
    await form.getByText(MESSAGES.en.questions.wrong).waitFor();
    await form.getByRole("button", { name: MESSAGES.en.questions.hint }).click();
    await form.getByText(en.questions.hard.hint).waitFor();
    await form.getByRole("button", { name: MESSAGES.en.questions.tell }).click();
    await form.getByText(en.questions.hard.explanation("5")).waitFor();
    await close();
  });
});

// The chapter as it opens is checked with all others, in every theme.
it("has no violations with other choices, and with a wrong answer", async () => {
  for (const query of ["&way=location-hard&input=digit", "&way=item-hard&pick=sample"]) {
    const { page, close } = await open(query);
    await expectNoViolations(page, "#soft-hard");
    const form = page.locator('form[data-question="hard"]');
    await form.getByRole("textbox").fill("4");
    await page.keyboard.press("Enter");
    await expectNoViolations(page, 'form[data-question="hard"]');
    await close();
  }
});
