// Handwritten digits in the chapters on attention and on neighbours.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import digits from "../../web/data/digits.json";
import { imageOf } from "../../web/src/lib/digits";
import { expectNoViolations } from "./support/axe";
import { LANGUAGES, launch, numberIn, spoken, visit } from "./support/browser";
import { MESSAGES } from "./support/messages";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const FIRST_ROW = [0, 0, 5, 13, 9, 1, 0, 0];

/** The numbers of a table that is folded away under this name, row by row. */
async function behind(page: Page, exhibit: string, title: string): Promise<number[][]> {
  const details = page.locator(`#${exhibit} details`, { hasText: title });
  await details.locator("summary").click();
  // What is folded away is drawn once it is open.
  await details.locator("tbody tr").first().waitFor();
  const rows = await details.locator("tbody tr").evaluateAll((found) =>
    found.map((row) => Array.from(row.querySelectorAll("td"), (cell) => cell.textContent ?? "")),
  );
  return rows.map((row) => row.map(numberIn));
}

describe("the file of the digits", () => {
  it("has three of each, eight by eight, from 0 to 16", () => {
    expect(digits.map(({ digit }) => digit)).toEqual(
      Array.from({ length: 30 }, (_, index) => index % 10),
    );
    const all = digits.flatMap((_, index) =>
      Array.from(imageOf({ digit: index % 10, copy: 1 + Math.floor(index / 10) }).data),
    );
    expect(all).toHaveLength(30 * 64);
    expect([Math.min(...all), Math.max(...all)]).toEqual([0, 16]);
  });

  it("begins with the first image of the set", () => {
    expect(Array.from(imageOf({ digit: 0, copy: 1 }).data.subarray(0, 8))).toEqual(FIRST_ROW);
  });
});

describe.each(LANGUAGES)("in %s", (language) => {
  const { attention, neighbours, realData } = MESSAGES[language];

  it("attention looks at a real digit, whole or cropped", async () => {
    const { page, problems, close } = await visit(
      browser,
      `?chapter=attention&lang=${language}&input=written&way=location-hard`,
    );
    const { input, output } = attention.soft;
    const whole = await behind(page, "soft-hard", attention.soft.table(input));
    expect(whole[0]).toEqual(FIRST_ROW);
    const crop = await behind(page, "soft-hard", attention.soft.table(output));
    // The window of three by three around row 4, column 4.
    expect(crop).toEqual([3, 4, 5].map((row) => whole[row]!.slice(3, 6)));
    await page.locator("#soft-hard").getByText("CC BY 4.0").waitFor();
    await page.locator("#soft-hard").getByRole("radio", { name: "7" }).check();
    await expect.poll(() => page.url()).toContain("digit=7");
    expect(problems).toEqual([]);
    await close();
  });

  it("a real digit is a set of 64 tokens", async () => {
    const { page, problems, close } = await visit(
      browser,
      `?chapter=neighbours&lang=${language}&picture=written`,
    );
    const exhibit = page.locator("#image-set");
    await exhibit.getByText("CC BY 4.0").waitFor();
    await exhibit.getByRole("application", { name: neighbours.image.picture, exact: true }).focus();
    await page.keyboard.press("Control+Home");
    for (let step = 0; step < 3; step += 1) await page.keyboard.press("ArrowRight");
    await spoken(page, `${neighbours.image.brightness} 0.8125`);
    const weights = await behind(page, "image-set", neighbours.image.table);
    expect(weights.flat().reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 5);
    const before = JSON.stringify(weights);
    await exhibit
      .getByRole("group", { name: realData.digits.copy })
      .getByRole("radio", { name: "3" })
      .check();
    await expect.poll(() => page.url()).toContain("copy=3");
    await page.locator("#image-set summary").first().click();
    expect(JSON.stringify(await behind(page, "image-set", neighbours.image.table))).not.toBe(before);
    expect(problems).toEqual([]);
    await close();
  });
});

it("a drawn picture stays while a real one is looked at", async () => {
  const { page, close } = await visit(browser, "?chapter=neighbours&lang=en&pixel=0");
  const t = MESSAGES.en.neighbours.image;
  const exhibit = page.locator("#image-set");
  const picture = exhibit.getByRole("application", { name: t.picture, exact: true });
  await exhibit.getByRole("checkbox").check();
  await picture.focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => page.url()).toContain("pixels=1");
  await exhibit.getByRole("radio", { name: t.pictures.written }).check();
  expect(await exhibit.getByRole("checkbox").count()).toBe(0);
  await picture.focus();
  await page.keyboard.press("Enter");
  await exhibit.getByRole("radio", { name: t.pictures.drawn }).check();
  await expect.poll(() => page.url()).toContain("pixels=1");
  await close();
});

it.each([
  ["attention&input=written&digit=10", "soft-hard"],
  ["attention&copy=4", "soft-hard"],
  ["neighbours&picture=photo", "image-set"],
  ["neighbours&picture=written&digit=x", "image-set"],
])("leaves out %s and says so", async (query, exhibit) => {
  const { page, problems, close } = await visit(browser, `?lang=en&chapter=${query}`);
  await page.locator(`#${exhibit}`).getByRole("alert").waitFor();
  expect(problems).toEqual([]);
  await close();
});

describe.each([
  ["attention&input=written", "soft-hard"],
  ["neighbours&picture=written", "image-set"],
])("%s", (query, exhibit) => {
  it("has no violations, and fits a small screen", async () => {
    const { page, close } = await visit(browser, `?lang=zh-Hans&chapter=${query}`, { width: 320 });
    await expectNoViolations(page, `#${exhibit}`);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    await close();
  });
});
