// WCAG 2.2 AA as far as axe can check it, on every chapter in every theme and language.
import AxeBuilder from "@axe-core/playwright";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHAPTERS, LANGUAGES, launch, visit } from "./support/browser";
import { MESSAGES } from "./support/messages";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

async function expectNoViolations(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).withTags(TAGS).analyze();
  const found = violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map((node) => `${node.target.join(" ")} ${node.failureSummary}`).join("; ")}`,
  );
  expect(found).toEqual([]);
}

describe.each(["light", "dark"] as const)("in the %s theme", (colorScheme) => {
  describe.each(LANGUAGES)("in %s", (language) => {
    it.each(CHAPTERS)("%s has no violations", async (chapter) => {
      const { page, problems, close } = await visit(
        browser,
        `?chapter=${chapter}&lang=${language}`,
        { colorScheme },
      );
      await expectNoViolations(page);
      expect(problems).toEqual([]);
      await close();
    });
  });

  it.each(["query", "value", "score", "scale", "softmax", "weigh", "sum"])(
    "the step %s has no violations",
    async (step) => {
      const query = `?chapter=one-query&lang=en&step=${step}`;
      const { page, close } = await visit(browser, query, { colorScheme });
      await expectNoViolations(page);
      await close();
    },
  );

  it.each([
    "?chapter=one-query&lang=en&printed=1&step=sum",
    "?chapter=one-query&lang=en&numbers=words",
    "?chapter=one-query&lang=en&numbers=words&step=weigh",
    "?chapter=one-query&lang=en&x=none",
    "?chapter=position&lang=en&p=0.5&columns=0,1,2,3,4,5",
  ])("%s has no violations", async (query) => {
    const { page, close } = await visit(browser, query, { colorScheme });
    await expectNoViolations(page);
    await close();
  });

  it("an open drawer, a table and an edit have no violations", async () => {
    const { page, close } = await visit(browser, "?chapter=position&lang=en", { colorScheme });
    const t = MESSAGES.en;
    await page.getByText(t.position.heatTable).click();
    await page.locator("#positional-encoding").getByText(t.numbers.title).click();
    await page.getByRole("button", { name: t.numbers.showLabel("P"), exact: true }).click();
    await page.locator("td.editable").first().click();
    await page.keyboard.type("x");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").waitFor();
    await expectNoViolations(page);
    await close();
  });
});

it.each(["light", "dark"] as const)("measuring has no violations, %s", async (colorScheme) => {
  const query = "?chapter=speed&lang=en&shape=decode&seconds=2";
  const { page, close } = await visit(browser, query, { colorScheme });
  const t = MESSAGES.en.speed;
  await page.getByText(t.table).click();
  await page.locator("details.ratios:not([open]) > summary").first().click();
  await page.locator("details.ratios:not([open]) > summary").click();
  await page.getByRole("button", { name: t.measure }).click();
  await page.getByRole("progressbar").waitFor();
  await expectNoViolations(page);
  await page.locator("#speed").getByText(t.finished).waitFor({ timeout: 50_000 });
  await expectNoViolations(page);
  await close();
});

it("has no violations on a phone", async () => {
  for (const chapter of CHAPTERS) {
    const { page, close } = await visit(browser, `?chapter=${chapter}&lang=zh-Hans`, {
      width: 360,
      own: { hasTouch: true },
    });
    await page.getByRole("button", { name: MESSAGES["zh-Hans"].app.chapters }).click();
    await expectNoViolations(page);
    await close();
  }
});

it("has no violations in forced colours", async () => {
  const { page, close } = await visit(browser, "?chapter=one-query&lang=en", {
    forcedColors: "active",
  });
  await expectNoViolations(page);
  await close();
});

it("moves nothing for readers who asked for that", async () => {
  const { page, close } = await visit(browser, "?chapter=one-query&lang=en", {
    reducedMotion: "reduce",
  });
  const moving = await page.evaluate(
    () =>
      Array.from(document.querySelectorAll("*")).filter(
        (element) => Number.parseFloat(getComputedStyle(element).transitionDuration) > 0,
      ).length,
  );
  expect(moving).toBe(0);
  await close();
});
