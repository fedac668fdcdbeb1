// What n squared costs: sizes, shares and their crossing, and measuring them.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exponent } from "../../web/src/exhibits/square/compute";
import { LANGUAGES, launch, spoken, visit } from "./support/browser";
import { MESSAGES } from "./support/messages";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const en = MESSAGES.en.bill;
const open = (query: string) => visit(browser, `?chapter=bill&lang=en${query}`);

const fact = (page: Page, id: string) =>
  page.locator(`#square [data-fact="${id}"] dd`).first().textContent();

/** Shares of attention with 512 features, in the golden table. */
const SHARES: readonly (readonly [string, string])[] = [
  ["64", "2.0"],
  ["512", "14.3"],
  ["1,024", "25"],
  ["4,096", "57.1"],
  ["16,384", "84.2"],
];

describe.each(LANGUAGES)("the bill in %s", (language) => {
  const t = MESSAGES[language].bill;

  it("has the golden sizes, shares and crossing", async () => {
    const { page, problems, close } = await visit(browser, `?chapter=bill&lang=${language}`);
    expect(await fact(page, "size")).toBe("64 MiB");
    expect(await fact(page, "tokens")).toBe("4,096");
    await page.getByText(t.share.crossing("3,072"), { exact: true }).waitFor();
    await page.getByText(t.share.table, { exact: true }).click();
    const table = page.getByRole("table", { name: t.share.table });
    for (const [n, share] of SHARES) {
      const row = table.getByRole("row", { name: new RegExp(`^${n} `) });
      expect(await row.locator("td").first().textContent()).toBe(`${share} %`);
    }
    expect(problems).toEqual([]);
    await close();
  });
});

it.each([
  ["14", "1 GiB"],
  ["16", "16 GiB"],
  ["4", "0.000977 MiB"],
])("2 to the %s tokens take %s", async (power, size) => {
  const { page, close } = await open(`&power=${power}`);
  expect(await fact(page, "size")).toBe(size);
  await close();
});

it("hands out the counts, shares and times behind the curve", async () => {
  const { page, problems, close } = await visit(browser, "?chapter=bill&lang=en", {
    own: { permissions: ["clipboard-read", "clipboard-write"] },
  });
  const t = MESSAGES.en.numbers;
  const drawer = page.locator("#share .numbers");
  await drawer.getByText(t.title).click();
  const copied = async (name: string) => {
    await drawer.getByRole("button", { name: t.copyLabel(name), exact: true }).click();
    await spoken(page, t.copied(name));
    const lines = (await page.evaluate(() => navigator.clipboard.readText())).split("\n");
    return lines.find((line) => line.startsWith("1024,"));
  };
  // 4 n² d and 2 (4 + 2 r) n d², for d = 512 and r = 4.
  expect(await copied("operations")).toBe("1024,2147483648,6442450944");
  expect(await copied("shares")).toBe("1024,0.25,NaN");
  expect(await copied("times_ms")).toBe("1024,NaN,NaN");
  await drawer.getByRole("button", { name: t.showLabel("operations"), exact: true }).click();
  await drawer.getByRole("cell", { name: "6442450944", exact: true }).waitFor();

  // What was measured is in it too.
  const exhibit = page.locator("#share");
  await exhibit.getByRole("button", { name: MESSAGES.en.measuring.measure }).click();
  await exhibit.getByText(MESSAGES.en.measuring.finished).waitFor({ timeout: 50_000 });
  expect(await copied("times_ms")).toMatch(/^1024,[\d.]+,[\d.]+$/);
  const [, counted, measured] = (await copied("shares"))!.split(",").map(Number);
  expect(counted).toBe(0.25);
  expect(measured).toBeGreaterThan(0);
  expect(measured).toBeLessThan(1);
  expect(problems).toEqual([]);
  await close();
});

it("moves the crossing with the widths", async () => {
  const { page, close } = await open("&d=768&ratio=2");
  await page.getByText(en.share.crossing("3,072"), { exact: true }).waitFor();
  await close();
});

it("refuses a billion tokens and keeps the last good state", async () => {
  const { page, close } = await open("");
  const field = page.getByRole("textbox", { name: en.share.n, exact: true });
  await field.fill("1000000000");
  await field.press("Enter");
  const sentence = MESSAGES.en.exhibit.takesNumber(64, 32768, 64);
  await page.getByRole("alert").filter({ hasText: sentence }).waitFor();
  await page.getByText(en.share.blockOf("1,024"), { exact: true }).waitFor();
  await close();
});

it.each(["&power=99", "&d=100", "&n=x"])("leaves %s out and says so", async (entries) => {
  const { page, problems, close } = await open(entries);
  const alert = page.getByRole("alert").filter({ hasText: MESSAGES.en.exhibit.addressRefused });
  await alert.waitFor();
  expect(problems).toEqual([]);
  await close();
});

it("finds the exponent of a power", () => {
  const points = [512, 1024, 2048].map((n) => [n, 3e-7 * n ** 2] as const);
  expect(exponent(points)).toBeCloseTo(2, 10);
  expect(exponent([[512, 1]])).toBeNull();
});

it("measures the steps, is walked by keyboard, and can be stopped", async () => {
  const { page, problems, close } = await open("");
  const exhibit = page.locator("#square");
  await exhibit.getByRole("button", { name: MESSAGES.en.measuring.measure }).click();
  await exhibit.getByRole("progressbar").waitFor();
  await exhibit.locator('[data-fact="scores"]').waitFor({ timeout: 20_000 });
  await exhibit.getByRole("application", { name: en.chart }).focus();
  await spoken(page, /^n = 64, scores, time of one call [\d.]+ ms$/);
  await page.keyboard.press("Escape");
  await exhibit.getByRole("button", { name: MESSAGES.en.measuring.stop }).click();
  await exhibit.getByText(MESSAGES.en.measuring.stopped).waitFor();
  expect(problems).toEqual([]);
  await close();
});

it("checks the answers to its questions", async () => {
  const { page, close } = await open("");
  for (const [id, answer] of [
    ["size", "256"],
    ["crossing", "4608"],
    ["long", "57.1 %"],
  ] as const) {
    const form = page.locator(`[data-question="${id}"]`);
    await form.getByRole("textbox").fill(answer);
    await form.getByRole("button", { name: MESSAGES.en.questions.check }).click();
    await expect.poll(() => form.getAttribute("data-verdict")).toBe("right");
  }
  await close();
});
