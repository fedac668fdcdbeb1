// The product in another order: equal numbers, unequal work, and sums that all queries share.
// Feature maps, templates and the state have tests of their own.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  crossover,
  keysFirstCount,
  ratio,
  scoresFirstCount,
} from "../../web/src/exhibits/two-orders/counts";
import { grid, LANGUAGES, launch, numberIn, numbersOf, spoken, visit } from "./support/browser";
import { ELU, near, WORKED } from "./support/golden";
import { MESSAGES } from "./support/messages";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const en = MESSAGES.en.reorder;
const open = (query: string) => visit(browser, `?chapter=reorder&lang=en${query}`);

const fact = async (page: Page, id: string) =>
  (await page.locator(`[data-fact="${id}"] dd`).first().textContent())!.trim();

const PLAIN = [
  [18, 60, 18],
  [60, 208, 48],
  [48, 164, 42],
];
describe.each(LANGUAGES)("another order in %s", (language) => {
  const t = MESSAGES[language].reorder;
  const words = MESSAGES[language].oneQuery.tensors;

  it("has the golden numbers", async () => {
    const { page, problems, close } = await visit(browser, `?chapter=reorder&lang=${language}`);
    const { scores, kv, scoresFirst, keysFirst } = t.orders.tensors;
    expect(await numbersOf(grid(page, scores))).toEqual(WORKED.scores);
    expect(await numbersOf(grid(page, kv))).toEqual([
      [12, 44, 6],
      [15, 52, 12],
      [3, 8, 6],
    ]);
    expect(await numbersOf(grid(page, scoresFirst))).toEqual(PLAIN);
    expect(await numbersOf(grid(page, keysFirst))).toEqual(PLAIN);
    expect(await fact(page, "gap")).toBe("0");
    expect(await fact(page, "count-scores")).toBe("54");
    expect(await fact(page, "count-keys")).toBe("54");

    const sums = page.locator("#shared-sums");
    const inSums = (title: string) =>
      numbersOf(sums.getByRole("grid", { name: new RegExp(`${title.replaceAll(/[()]/g, "\\$&")}$`) }));
    expect(await inSums(t.sums.tensors.phiKey)).toEqual(ELU.phiKey);
    expect(await inSums(t.sums.tensors.values)).toEqual(ELU.values);
    expect(await inSums(t.sums.tensors.features)).toEqual(ELU.features);
    near(await inSums(t.sums.tensors.weights), ELU.weights);
    near(await inSums(t.sums.tensors.softmax), WORKED.scaled.weights);
    near(await inSums(words.output), ELU.output);
    expect(problems).toEqual([]);
    await close();
  });

  it("makes the sums once and walks through the queries", async () => {
    const { page, close } = await visit(browser, `?chapter=reorder&lang=${language}`);
    const sums = page.locator("#shared-sums");
    for (const [row, phi] of ELU.phiQuery.entries()) {
      expect(await numbersOf(grid(page, t.sums.tensors.phiQuery))).toEqual([phi]);
      const [above] = await numbersOf(grid(page, t.sums.tensors.numerator));
      const [[below]] = (await numbersOf(grid(page, t.sums.tensors.denominator))) as [[number]];
      near([above!.map((value) => value / below)], [ELU.output[row]!]);
      expect(await fact(page, "formed")).toBe("1");
      expect(await fact(page, "answered")).toBe(String(row + 1));
      expect(await fact(page, "reads-sums")).toBe("3");
      expect(await fact(page, "reads-softmax")).toBe(String(3 * (row + 1)));
      if (row < 2) {
        const forward = MESSAGES[language].oneQuery.forward;
        await sums.getByRole("button", { name: forward, exact: true }).click();
      }
    }
    await expect.poll(() => page.url()).toContain("b=2");
    await close();
  });
});

describe("the two orders", () => {
  it.each([
    [64, 524_288, 524_288],
    [512, 33_554_432, 4_194_304],
    [1024, 134_217_728, 8_388_608],
    [4096, 2_147_483_648, 33_554_432],
  ])("count n = %i with 64 features", async (n, scores, keys) => {
    const sizes = { n, d: 64, dv: 64 };
    expect([scoresFirstCount(sizes), keysFirstCount(sizes)]).toEqual([scores, keys]);
    expect(ratio(sizes)).toBe(n / 64);
    const { page, close } = await open(`&n=${n}`);
    const bar = (id: string) => page.locator(`#two-orders [data-bar="${id}"] .number`).textContent();
    expect(numberIn((await bar("scores"))!)).toBe(scores);
    expect(numberIn((await bar("keys"))!)).toBe(keys);
    await page.getByText(en.orders.crossing("64")).waitFor();
    await close();
  });

  it("cross where they should", () => {
    expect(crossover({ d: 64, dv: 192 })).toBe(96);
    expect(ratio({ n: 96, d: 64, dv: 192 })).toBe(1);
    expect(ratio({ n: 16384, d: 64, dv: 64 })).toBe(256);
  });

  it("differ only by rounding on other numbers", async () => {
    const { page, close } = await open("&d=16&dv=5");
    const [gap, most] = [await fact(page, "random-gap"), await fact(page, "random-most")];
    expect(numberIn(most)).toBeGreaterThan(1);
    expect(numberIn(gap) / numberIn(most)).toBeLessThan(1e-5);
    await page.getByText(en.orders.crossing("7.6")).waitFor();
    await close();
  });

  it("stay equal when a number is changed", async () => {
    const { page, close } = await open("");
    const key = page.locator("#two-orders").getByRole("grid", { name: /K, keys$/ });
    await key.locator('td[data-row="0"][data-column="0"]').click();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("7");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.url()).toContain("k=7,1,1;4,4,0;2,3,1");
    const results = await Promise.all(
      [en.orders.tensors.scoresFirst, en.orders.tensors.keysFirst].map((title) =>
        numbersOf(grid(page, title)),
      ),
    );
    expect(results[0]).toEqual(results[1]);
    // 7 more for every value of token 1, times the first feature of each query.
    expect(results[0]![1]).toEqual([60 + 14, 208 + 28, 48 + 42]);
    await close();
  });

  it("are measured, and can be stopped", async () => {
    const { page, problems, close } = await open("&d=8&dv=8");
    const exhibit = page.locator("#two-orders");
    await exhibit.getByRole("button", { name: MESSAGES.en.measuring.measure }).click();
    const chart = exhibit.getByRole("application", { name: en.orders.chart });
    await expect
      .poll(() => exhibit.locator(".chart rect").count(), { timeout: 30_000 })
      .toBeGreaterThan(1);
    await exhibit.getByRole("button", { name: MESSAGES.en.measuring.stop }).click();
    await exhibit.getByText(MESSAGES.en.measuring.stopped).waitFor();
    await chart.focus();
    await page.keyboard.press("ArrowRight");
    await spoken(page, /^n = 32, counted, scores first ÷ keys first 4 ×$/);
    await page.keyboard.press("ArrowDown");
    await spoken(page, /^n = 32, measured, scores first ÷ keys first [\d.,]+ ×$/);
    expect(problems).toEqual([]);
    await close();
  });
});

it("makes the sums again only when a key or a value changes", async () => {
  const { page, close } = await open("");
  const edit = async (name: RegExp, text: string) => {
    const table = page.locator("#shared-sums").getByRole("grid", { name }).first();
    await table.locator('td[data-row="0"][data-column="0"]').click();
    await page.keyboard.press("Control+a");
    await page.keyboard.type(text);
    await page.keyboard.press("Enter");
  };
  await edit(/Q, queries$/, "5");
  await expect.poll(() => fact(page, "answered")).toBe("2");
  expect(await fact(page, "formed")).toBe("1");
  await edit(/K, keys$/, "5");
  await expect.poll(() => fact(page, "formed")).toBe("2");
  await close();
});

it("has the golden weights of ReLU", async () => {
  const { page, close } = await open("&map=relu");
  near(await numbersOf(grid(page, en.sums.tensors.weights)), [
    [0.2, 0.4, 0.4],
    [0.125, 0.5, 0.375],
    [0.1538462, 0.4615385, 0.3846154],
  ]);
  await close();
});

it("refuses a billion tokens and keeps the last good state", async () => {
  const { page, close } = await open("");
  const field = page.getByRole("textbox", { name: en.orders.n, exact: true });
  await field.fill("1000000000");
  await field.press("Enter");
  const sentence = MESSAGES.en.exhibit.takesNumber(1, 16384, 1);
  await page.getByRole("alert").filter({ hasText: sentence }).waitFor();
  await page.getByText(en.orders.sizes("1,024", "64", "64"), { exact: true }).waitFor();
  await close();
});

it.each(["&n=0", "&dv=x", "&sk=1,2", "&map=softmax", "&phi=y", "&power=9", "&token=3", "&anew=2"])(
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
    ["cell", "208"],
    ["crossing", "96"],
    ["weight", "44 %"],
    ["state", "1056"],
  ] as const) {
    const form = page.locator(`[data-question="${id}"]`);
    await form.getByRole("textbox").fill(answer);
    await form.getByRole("button", { name: MESSAGES.en.questions.check }).click();
    await expect.poll(() => form.getAttribute("data-verdict")).toBe("right");
  }
  await close();
});
