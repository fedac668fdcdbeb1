// Weights without queries and keys, mixing without weights: who hears whom, and what it costs.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MIXERS, parametersOf, shapesOf, USUAL } from "../../web/src/lib/mixers";
import { grid, LANGUAGES, launch, numberIn, numbersOf, spoken, visit } from "./support/browser";
import { MESSAGES } from "./support/messages";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const en = MESSAGES.en.without;
const open = (query: string) => visit(browser, `?chapter=without&lang=en${query}`);

const ZEROS = [
  [0, 0, 0],
  [0, 0, 0],
  [0, 0, 0],
];

/** Cells of a table without the first, which names the row. */
async function cells(page: Page, name: string): Promise<string[][]> {
  const table = page.getByRole("table", { name, exact: true });
  await table.waitFor();
  return table
    .locator("tbody tr")
    .evaluateAll((all) =>
      all.map((row) => Array.from(row.querySelectorAll("td"), (cell) => cell.textContent.trim())),
    );
}

/** FNet in 64 bits, straight from the definition. */
function fnet(x: number[][]): number[][] {
  const [n, d] = [x.length, x[0]!.length];
  return x.map((_, k) =>
    x[0]!.map((_, l) => {
      let sum = 0;
      for (let i = 0; i < n; i += 1) {
        for (let j = 0; j < d; j += 1) {
          sum += x[i]![j]! * Math.cos(2 * Math.PI * ((k * i) / n + (l * j) / d));
        }
      }
      return sum;
    }),
  );
}

describe.each(LANGUAGES)("without queries and keys in %s", (language) => {
  const t = MESSAGES[language].without;

  it("has the golden numbers", async () => {
    const { page, problems, close } = await visit(browser, `?chapter=without&lang=${language}`);
    // FNet of chapter 3's tokens comes out whole.
    expect(await numbersOf(grid(page, t.fnet.output))).toEqual([
      [10, 0, -2, 0],
      [-2, 0, 4, 0],
      [-2, 0, 4, 0],
    ]);
    expect(await numbersOf(grid(page, t.fnet.wave(2, 3)))).toEqual([
      [1, -1, 1, -1],
      [-0.5, 0.5, -0.5, 0.5],
      [-0.5, 0.5, -0.5, 0.5],
    ]);
    const changes = (way: keyof typeof t.synthesizer.ways) =>
      numbersOf(grid(page, t.synthesizer.changeOf(t.synthesizer.ways[way])));
    expect(await changes("random")).toEqual(ZEROS);
    expect(await changes("factorized")).toEqual(ZEROS);
    const moved = (rows: number[][]) => rows.map((row) => row.some((change) => change !== 0));
    expect(moved(await changes("dense"))).toEqual([false, true, false]);
    expect(moved(await changes("dot"))).toEqual([true, true, true]);
    await page
      .locator('[data-way="random"]')
      .getByText(t.synthesizer.result(0, "0"), { exact: true })
      .waitFor();
    expect((await cells(page, t.compared.table)).map(([parameters]) => parameters)).toEqual([
      "8,192", // 2 · 64²
      "262,144", // 512²
      "32,768", // 2 · 512 · 32
      "18,432", // 32 · 64 + 512 · 32
      "0",
      "294,912", // 2 · 256 · 512 + 2 · 256 · 64
      "286,720", // 256 · 64 + 512² + 64 · 128
    ]);
    expect(problems).toEqual([]);
    await close();
  });
});

it.each([1, 2, 3])("moves the row of token %i alone in the dense form", async (token) => {
  const { page, close } = await open(`&token=${token}&seed=7&amount=2.5`);
  const change = await numbersOf(grid(page, en.synthesizer.changeOf(en.synthesizer.ways.dense)));
  expect(change.map((row) => row.some((value) => value !== 0))).toEqual(
    [1, 2, 3].map((row) => row === token),
  );
  // Weights of a row sum to 1 before and after.
  const weights = await numbersOf(grid(page, en.synthesizer.weightsOf(en.synthesizer.ways.dense)));
  for (const row of weights) expect(row.reduce((a, b) => a + b)).toBeCloseTo(1, 3);
  await close();
});

it("keeps the random weights whatever the tokens are, and changes nothing by nothing", async () => {
  const title = en.synthesizer.weightsOf(en.synthesizer.ways.random);
  const first = await open("");
  const before = await numbersOf(grid(first.page, title));
  await first.close();
  const { page, close } = await open("&x=9,8,7,6;-5,4,-3,2;0,0,0,1&amount=0");
  expect(await numbersOf(grid(page, title))).toEqual(before);
  for (const way of ["random", "factorized", "dense", "dot"] as const) {
    expect(
      await numbersOf(grid(page, en.synthesizer.changeOf(en.synthesizer.ways[way]))),
    ).toEqual(ZEROS);
  }
  await page.getByRole("slider", { name: en.synthesizer.seed }).fill("2");
  await expect.poll(() => numbersOf(grid(page, title))).not.toEqual(before);
  await close();
});

it("is FNet of any tokens, and padding changes it", async () => {
  const x = [
    [1, 2, 0, 0],
    [3, 4, 0, 0.5],
    [-2, 0, 7, 1],
  ];
  const query = `&waves=${x.map((row) => row.join()).join(";")}`;
  for (const padding of [0, 1, 2]) {
    const { page, close } = await open(`${query}&padding=${padding}`);
    const expected = fnet([...x, ...Array.from({ length: padding }, () => [0, 0, 0, 0])]);
    const shown = await numbersOf(grid(page, en.fnet.output));
    expect(shown).toHaveLength(3 + padding);
    shown.flat().forEach((value, i) => expect(value).toBeCloseTo(expected.flat()[i]!, 1));
    const gap = numberIn((await page.locator("#fnet .moved").textContent())!.split(": ")[1]!);
    const unpadded = fnet(x).flat();
    const most = Math.max(...unpadded.map((value, i) => Math.abs(value - expected.flat()[i]!)));
    expect(gap).toBeCloseTo(most, 3);
    await close();
  }
});

it("refuses letters and padding in the tokens of FNet, and is walked by keyboard", async () => {
  const { page, close } = await open("&padding=1");
  const input = grid(page, en.fnet.x);
  await input.locator('td[data-row="0"][data-column="1"]').focus();
  await spoken(page, "token 1, feature 2, number 0");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("ten");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").filter({ hasText: MESSAGES.en.grid.notANumber("ten") }).waitFor();
  await page.keyboard.press("Escape");
  await input.locator('td[data-row="3"][data-column="0"]').click();
  await page.keyboard.type("1");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").filter({ hasText: en.fnet.paddingStays }).waitFor();
  expect(page.url()).not.toContain("waves=");
  await close();
});

it("lets every output hear every token, and keeps sums only where weights stand still", async () => {
  const { page, close } = await open("");
  const rows = await cells(page, en.mixing.table(4));
  expect(rows.map(([noticed]) => noticed)).toEqual(MIXERS.map(() => en.mixing.ofAll(12, 12)));
  expect(rows.map(([, , gap]) => gap === en.mixing.additive)).toEqual(
    MIXERS.map((mixer) => ["random", "factorized", "fnet"].includes(mixer)),
  );
  // Twice the change moves what is linear twice as far.
  const own = rows.map(([, move]) => numberIn(move!));
  await page.getByRole("slider", { name: en.mixing.amount }).fill("2");
  await expect
    .poll(async () => (await cells(page, en.mixing.table(4))).map(([, move]) => move))
    .not.toEqual(rows.map(([, move]) => move));
  const twice = (await cells(page, en.mixing.table(4))).map(([, move]) => numberIn(move!));
  MIXERS.forEach((mixer, i) => {
    if (mixer === "fnet" || mixer === "random" || mixer === "factorized") {
      expect(twice[i]! / own[i]!).toBeCloseTo(2, 2);
    }
  });
  expect(own[MIXERS.indexOf("fnet")]).toBeCloseTo(1, 4);
  await page.getByRole("application", { name: en.mixing.map(en.mixers.fnet) }).focus();
  await spoken(page, /^token 1 changed, output 1, change 2$/);
  await close();
});

it("has as many parameters as its matrices have numbers", () => {
  expect(shapesOf("mlp-mixer", 5, 3, { ...USUAL, tokenHidden: 7, channelHidden: 11 })).toEqual({
    tokenWeight1: [7, 5],
    tokenWeight2: [5, 7],
    channelWeight1: [11, 3],
    channelWeight2: [3, 11],
  });
  expect(parametersOf("gmlp", 5, 3, { ...USUAL, features: 2 })).toBe(4 * 3 + 25 + 3 * 2);
});

it("counts operations as the catalogue does", async () => {
  const { page, close } = await open("&n=1024&d=64");
  const operations = (await cells(page, en.compared.table)).map(([, count]) => count);
  expect(operations[0]).toBe("142,606,336"); // 2 n² d + 2 n d²
  expect(operations[1]).toBe("67,108,864"); // n² d
  expect(numberIn(operations[4]!)).toBeLessThan(1e6);
  await close();
});

it("measures, and can be stopped", async () => {
  const { page, problems, close } = await open("&d=16");
  const exhibit = page.locator("#mixers-compared");
  await exhibit.getByRole("button", { name: MESSAGES.en.measuring.measure }).click();
  await exhibit.getByRole("progressbar").waitFor();
  await exhibit.getByRole("application", { name: en.compared.chart }).focus();
  await expect
    .poll(() => exhibit.locator(".reading").textContent(), { timeout: 30_000 })
    .toMatch(/attention: [\d.]+ ms.*FNet: [\d.]+ ms.*gMLP: [\d.]+ ms/s);
  await exhibit.getByRole("button", { name: MESSAGES.en.measuring.stop }).click();
  await exhibit.getByText(MESSAGES.en.measuring.stopped).waitFor();
  expect(problems).toEqual([]);
  await close();
});

it("refuses a billion tokens and keeps the last good state", async () => {
  const { page, close } = await open("");
  const field = page.getByRole("textbox", { name: en.compared.n, exact: true });
  await field.fill("1000000000");
  await field.press("Enter");
  const sentence = MESSAGES.en.exhibit.takesNumber(64, 4096, 64);
  await page.getByRole("alert").filter({ hasText: sentence }).waitFor();
  expect((await cells(page, en.compared.table))[1]![0]).toBe("262,144");
  await close();
});

it.each([
  "&x=1,2",
  "&token=4",
  "&amount=0.3",
  "&seed=x",
  "&waves=a",
  "&padding=9",
  "&changed=0",
  "&by=100",
  "&n=100",
])("leaves %s out and says so", async (entries) => {
  const { page, problems, close } = await open(entries);
  const alert = page.getByRole("alert").filter({ hasText: MESSAGES.en.exhibit.addressRefused });
  await alert.waitFor();
  expect(problems).toEqual([]);
  await close();
});

it("checks the answers to its questions", async () => {
  const { page, close } = await open("");
  for (const [id, answer] of [
    ["rows", "1"],
    ["parameters", "1048576"],
    ["corner", "5"],
    ["weights", "0"],
  ] as const) {
    const form = page.locator(`[data-question="${id}"]`);
    await form.getByRole("textbox").fill(answer);
    await form.getByRole("button", { name: MESSAGES.en.questions.check }).click();
    await expect.poll(() => form.getAttribute("data-verdict")).toBe("right");
  }
  await close();
});
