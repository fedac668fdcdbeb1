// Languages, the state in the address, the theme, and the way through the chapters.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { CHAPTERS, grid, LANGUAGES, launch, numbersOf, visit } from "./support/browser";
import { MESSAGES } from "./support/messages";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

describe("the language", () => {
  it.each([
    ["en-GB", "en"],
    ["zh-CN", "zh-Hans"],
    ["zh-SG", "zh-Hans"],
    ["zh-TW", "zh-Hant"],
    ["zh-HK", "zh-Hant"],
    ["fr-FR", "en"],
  ] as const)("of a browser in %s is %s", async (locale, language) => {
    const { page, problems, close } = await visit(browser, "", { own: { locale } });
    expect(await page.locator("html").getAttribute("lang")).toBe(language);
    expect(await page.locator("h1").textContent()).toBe(MESSAGES[language].start.title);
    expect(await page.title()).toBe(MESSAGES[language].app.title);
    expect(problems).toEqual([]);
    await close();
  });

  it("in the address goes before the browser's", async () => {
    const { page, close } = await visit(browser, "?lang=zh-Hant", { own: { locale: "en-US" } });
    expect(await page.locator("h1").textContent()).toBe(MESSAGES["zh-Hant"].start.title);
    await close();
  });

  it("changes in place: what the reader has set stays", async () => {
    const { page, problems, close } = await visit(browser, "?chapter=one-query&lang=en&step=sum");
    await page.getByRole("checkbox").check();
    const before = await numbersOf(grid(page, MESSAGES.en.oneQuery.tensors.output));
    for (const language of [...LANGUAGES].reverse()) {
      await page.locator(`.languages [lang="${language}"]`).click();
      const t = MESSAGES[language].oneQuery;
      await page.getByRole("heading", { level: 1, name: t.title }).waitFor();
      expect(await page.locator("html").getAttribute("lang")).toBe(language);
      expect(await numbersOf(grid(page, t.tensors.output))).toEqual(before);
      await expect.poll(() => new URL(page.url()).searchParams.get("lang")).toBe(language);
    }
    expect(problems).toEqual([]);
    await close();
  });
});

describe("the address", () => {
  it("carries what was set, and shows it again", async () => {
    const first = await visit(browser, "?chapter=one-query&lang=en");
    const { oneQuery } = MESSAGES.en;
    await first.page.getByRole("checkbox").check();
    const cell = grid(first.page, oneQuery.tensors.x).locator('td[data-row="2"][data-column="2"]');
    await cell.click();
    await first.page.keyboard.press("Control+a");
    await first.page.keyboard.type("-0.25");
    await first.page.keyboard.press("Enter");
    await first.page.getByRole("button", { name: oneQuery.goTo(oneQuery.steps.sum.name) }).click();
    const output = await numbersOf(grid(first.page, oneQuery.tensors.output));
    await expect.poll(() => first.page.url()).toContain("x=1,0,1,0;0,2,0,2;1,1,-0.25,1");
    await expect.poll(() => first.page.url()).toContain("step=sum");
    const { search } = new URL(first.page.url());
    await first.close();

    const second = await visit(browser, search);
    expect(await second.page.getByRole("checkbox").isChecked()).toBe(true);
    expect(await numbersOf(grid(second.page, oneQuery.tensors.output))).toEqual(output);
    const exhibit = second.page.locator("#worked-example");
    await exhibit.getByRole("button", { name: MESSAGES.en.exhibit.reset }).click();
    await expect.poll(() => new URL(second.page.url()).search).toBe("?chapter=one-query&lang=en");
    await second.close();
  });

  it("carries the positions' state too", async () => {
    const { page, close } = await visit(
      browser,
      "?chapter=position&lang=en&n=20&d=16&p=0.25&draw=3&columns=0,5&input=1,5,2.5",
    );
    const t = MESSAGES.en.position;
    await page.getByText("20 × 16", { exact: true }).waitFor();
    expect(await page.getByRole("textbox", { name: t.dropout, exact: true }).inputValue()).toBe(
      "0.25",
    );
    expect((await numbersOf(grid(page, t.tensors.X)))[1]).toEqual([0, 2.5]);
    await close();
  });

  it.each([
    ["one-query", "&x=1,2;3"],
    ["one-query", "&x=1,0,1,0;0,2,0,2;1,1,1,one"],
    ["one-query", "&step=nowhere"],
    ["one-query", "&numbers=words&wk=1"],
    ["position", "&n=1000000000"],
    ["position", "&d=-4"],
    ["position", "&columns=1,1"],
    ["position", "&input=1,2"],
  ])("that makes no sense is said and left out: %s%s", async (chapter, entries) => {
    const { page, problems, close } = await visit(browser, `?chapter=${chapter}&lang=en${entries}`);
    const alert = page.getByRole("alert").filter({ hasText: MESSAGES.en.exhibit.addressRefused });
    await alert.waitFor();
    expect(problems).toEqual([]);
    await close();
  });

  it("with an unknown chapter or language leads to the start", async () => {
    const { page, close } = await visit(browser, "?chapter=nowhere&lang=xx", {
      own: { locale: "en-US" },
    });
    expect(await page.locator("h1").textContent()).toBe(MESSAGES.en.start.title);
    await close();
  });
});

it("goes back and forward through the chapters, with what was set in them", async () => {
  const { page, problems, close } = await visit(browser, "?lang=en");
  const { oneQuery, position } = MESSAGES.en;
  const heading = (name: string) => page.getByRole("heading", { level: 1, name }).waitFor();
  await page.getByRole("link", { name: oneQuery.title }).first().click();
  await heading(oneQuery.title);
  await page.getByRole("checkbox").check();
  await page.getByRole("link", { name: position.title }).first().click();
  await heading(position.title);
  expect(new URL(page.url()).searchParams.get("divide")).toBeNull();
  await page.goBack();
  await heading(oneQuery.title);
  expect(await page.getByRole("checkbox").isChecked()).toBe(true);
  await page.goForward();
  await heading(position.title);
  expect(problems).toEqual([]);
  await close();
});

describe("the theme", () => {
  it("follows the system, and the reader's choice goes before it", async () => {
    const { page, close } = await visit(browser, "?lang=en", { colorScheme: "dark", own: {} });
    const shown = () => page.locator("html").getAttribute("data-theme");
    expect(await shown()).toBe("dark");
    await page.emulateMedia({ colorScheme: "light" });
    await expect.poll(shown).toBe("light");
    await page.getByRole("combobox").selectOption("dark");
    await expect.poll(shown).toBe("dark");
    await page.reload();
    await page.locator("h1").waitFor();
    expect(await shown()).toBe("dark");
    await close();
  });

  it("has more contrast where the system or the reader wants it", async () => {
    const { page, problems, close } = await visit(browser, "?lang=en", { own: {} });
    const html = page.locator("html");
    const looks = async () =>
      `${await html.getAttribute("data-theme")} ${await html.getAttribute("data-contrast")}`;
    const ink = () => page.locator("h1").evaluate((element) => getComputedStyle(element).color);
    expect(await looks()).toBe("light usual");
    await page.emulateMedia({ contrast: "more" });
    await expect.poll(looks).toBe("light more");
    await expect.poll(ink).toBe("rgb(0, 0, 0)");
    await page.emulateMedia({ contrast: "no-preference" });
    await expect.poll(looks).toBe("light usual");

    // The choice leaves it to the system whether the ground is light, and lasts.
    await page.getByRole("combobox").selectOption("contrast");
    await expect.poll(looks).toBe("light more");
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(looks).toBe("dark more");
    await expect.poll(ink).toBe("rgb(255, 255, 255)");
    await page.reload();
    expect(await looks()).toBe("dark more");
    await page.locator("h1").waitFor();
    expect(await looks()).toBe("dark more");

    // Forced colours have a ground of their own, whatever was chosen for ours.
    await page.getByRole("combobox").selectOption("light");
    await expect.poll(looks).toBe("light usual");
    await page.emulateMedia({ forcedColors: "active" });
    await expect.poll(looks).toBe("dark more");
    expect(problems).toEqual([]);
    await close();
  });
});

it("checks the core on its card", async () => {
  const { page, close } = await visit(browser, "?lang=en");
  const card = page.locator("#core-card");
  const t = MESSAGES.en.start;
  const fact = async (name: string) =>
    card
      .locator("div", { has: page.getByText(name, { exact: true }) })
      .locator("dd")
      .textContent();
  expect((await fact(t.facts.test))?.trim()).toBe(t.passed);
  expect(await fact(t.facts.version)).toMatch(/^qkv \d+\.\d+\.\d+/);
  expect(await fact(t.facts.variant)).toMatch(/^(?:simd128|relaxed)$/);
  expect(await fact(t.facts.isolated)).toBe(t.yes);
  expect(await fact(t.facts.size)).toMatch(/^[\d.]+ kB$/);
  expect(Number(await fact(t.facts.threads))).toBeGreaterThan(0);
  await close();
});

it("transfers less than 300 kB before the first exhibit is usable", async () => {
  const { page, close } = await visit(browser, "?chapter=one-query&lang=en", { own: {} });
  const bytes = await page.evaluate(() =>
    [
      ...performance.getEntriesByType("navigation"),
      ...performance.getEntriesByType("resource"),
    ].reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).transferSize, 0),
  );
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThan(300_000);
  await close();
});

// Opened once: only the language and the width change.
it.each(CHAPTERS)("the chapter %s fits a phone", async (chapter) => {
  const query = `?chapter=${chapter}&lang=en&p=0.3`;
  const { page, problems, close } = await visit(browser, query, { width: 360 });
  for (const language of LANGUAGES) {
    await page.locator(`.languages [lang="${language}"]`).click();
    await page.locator(`html[lang="${language}"]`).waitFor();
    for (const width of [360, 320]) {
      await page.setViewportSize({ width, height: 900 });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(wide, `${language}, ${width}`).toBeLessThanOrEqual(width);
    }
  }
  expect(problems).toEqual([]);
  await close();
});

it("runs from a folder of another site", async () => {
  // Every address in the built page is relative.
  const html = await (await fetch(inject("url"))).text();
  for (const [, target] of html.matchAll(/(?:src|href)="([^"]*)"/g))
    expect(target).toMatch(/^\.\//);
});
