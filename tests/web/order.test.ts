// Tokens that trade places, the binary clock, and the rotation.
import type { Browser, Page } from "playwright-core";
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

const en = MESSAGES.en.order;
const open = (query: string) => visit(browser, `?chapter=position&lang=en${query}`);

const last = (text: string | null) => numberIn(/([\d.]+(?:e−?\d+)?)\D*$/.exec(text!)![1]!);
const gap = async (page: Page) => last(await page.locator("#permuting .gap").textContent());

/** The golden rotation by 5 positions of pair 3. */
const ROTATION = [
  [0.6300803045, 0.77652998],
  [-0.77652998, 0.6300803045],
];

describe.each(LANGUAGES)("in %s", (language) => {
  const t = MESSAGES[language].order;

  it("outputs trade places with their tokens, and with positions they change", async () => {
    const { page, problems, close } = await visit(browser, `?chapter=position&lang=${language}`);
    expect(await gap(page)).toBeLessThanOrEqual(1e-6);
    const before = await numbersOf(grid(page, t.original));
    const after = await numbersOf(grid(page, t.permuted));
    expect(after).toEqual([4, 1, 2, 3, 0].map((row) => before[row]));
    await page.getByRole("checkbox").first().check();
    expect(await gap(page)).toBeGreaterThan(0.01);
    expect(problems).toEqual([]);
    await close();
  });

  it("bits flip at every row, every second, fourth and eighth", async () => {
    const { page, close } = await visit(browser, `?chapter=position&lang=${language}`);
    const bits = await numbersOf(grid(page, t.clock.bitsTitle));
    expect(bits.map((row) => row.reduce((sum, bit, k) => sum + bit * 2 ** k, 0))).toEqual(
      Array.from({ length: 16 }, (_, i) => i),
    );
    const table = page.getByRole("table", { name: t.clock.flipsTitle });
    expect(await numbersOf(table)).toEqual([
      [15, 1],
      [7, 2],
      [3, 4],
      [1, 8],
    ]);
    await close();
  });

  it("a step is a turn that does not ask where it starts", async () => {
    const { page, close } = await visit(browser, `?chapter=position&lang=${language}`);
    expectClose(await numbersOf(grid(page, t.turn.matrix)), ROTATION, 6);
    const worst = await page.locator("#turning .worst").textContent();
    expect(last(worst!.replace(/[。.]$/, ""))).toBeLessThan(2.3e-6);
    const start = page.getByRole("textbox", { name: t.turn.from, exact: true });
    await start.fill("50");
    await start.press("Enter");
    expectClose(await numbersOf(grid(page, t.turn.matrix)), ROTATION, 6);
    await close();
  });
});

it("exchanges tokens by keyboard and says the new sentence", async () => {
  const { page, close } = await open("&order=1,2,3,4,5");
  await page.getByRole("button", { name: en.swap("dog", "bites") }).focus();
  await page.keyboard.press("Enter");
  await spoken(page, en.nowReads("bites dog the old man"));
  await expect.poll(() => page.url()).toContain("order=2,1,3,4,5");
  await close();
});

it("turns waves of base 16 twice as slowly from pair to pair", async () => {
  const { page, close } = await open("&base=16");
  const waves = await numbersOf(
    page.locator("#binary-clock").getByRole("grid", { name: /P, the encoding$/ }),
  );
  expect(waves[2]![0]).toBeCloseTo(Math.sin(2), 2);
  expect(waves[2]![2]).toBeCloseTo(Math.sin(1), 2);
  expect(waves[2]![4]).toBeCloseTo(Math.sin(0.5), 2);
  await close();
});

it.each(["&order=1,1,2,3,4", "&base=7", "&step=99", "&pair=1.5"])(
  "leaves %s out and says so",
  async (entries) => {
    const { page, problems, close } = await open(entries);
    const alert = page.getByRole("alert").filter({ hasText: MESSAGES.en.exhibit.addressRefused });
    await alert.waitFor();
    expect(problems).toEqual([]);
    await close();
  },
);

it("checks the answers to its questions", async () => {
  const { page, close } = await open("");
  for (const [id, answer] of [
    ["flips", "7"],
    ["distance", "16"],
    ["cosine", "0.63"],
  ] as const) {
    const form = page.locator(`[data-question="${id}"]`);
    await form.getByRole("textbox").fill(answer);
    await form.getByRole("button", { name: MESSAGES.en.questions.check }).click();
    await expect.poll(() => form.getAttribute("data-verdict")).toBe("right");
  }
  await close();
});

it("has no violations with the positions added", async () => {
  const { page, close } = await visit(browser, "?chapter=position&lang=en&with=1");
  await expectNoViolations(page);
  await close();
});
