// WCAG 2.2 AA as far as axe can check it, on every chapter and in every theme, and a walk through each
// chapter by keyboard alone.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectContrast, expectFits, expectNoViolations } from "./support/axe";
import { CHAPTERS, LANGUAGES, launch, visit, whole } from "./support/browser";
import { MESSAGES } from "./support/messages";
import { operate, unreached } from "./support/walk";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

/**
 * The colours of a page that was checked in light colours, without opening it again; high contrast
 * on one of its two grounds, for which the chapters take turns.
 */
async function expectEveryTheme(
  page: Page,
  part?: string,
  ground: "light" | "dark" = "light",
): Promise<void> {
  await page.emulateMedia({ colorScheme: "dark" });
  await page.locator('html[data-theme="dark"]').waitFor();
  await expectContrast(page, "usual", part);
  await page.emulateMedia({ colorScheme: ground, contrast: "more" });
  await page.locator(`html[data-contrast="more"][data-theme="${ground}"]`).waitFor();
  await expectContrast(page, "more", part);
}

// One language each, in turn: their rules are the same, and their words are tested elsewhere.
describe.each(
  CHAPTERS.map((chapter, i) => [chapter, LANGUAGES[i % 3]!, i % 2 ? "light" : "dark"] as const),
)(
  "%s, in %s,",
  (chapter, language, ground) => {
    it("has no violations in any theme", async () => {
      const query = `?chapter=${chapter}&lang=${language}`;
      const { page, problems, close } = await visit(browser, query, { reducedMotion: "reduce" });
      await whole(page);
      await expectNoViolations(page);
      await expectEveryTheme(page, undefined, ground);
      expect(problems).toEqual([]);
      await close();
    });

    it("has no violations on a phone", async () => {
      const { page, close } = await visit(browser, `?chapter=${chapter}&lang=${language}`, {
        width: 360,
      });
      await whole(page);
      await page.getByRole("button", { name: MESSAGES[language].app.chapters }).click();
      await expectNoViolations(page, "nav");
      await expectFits(page);
      await close();
    });

    it("can be reached and operated by keyboard", async () => {
      const query = `?chapter=${chapter}&lang=${language}`;
      const { page, problems, close } = await visit(browser, query);
      await whole(page);
      expect(await unreached(page)).toEqual([]);
      const t = MESSAGES[language].exhibit;
      for (const exhibit of await page.locator(".exhibit").all()) {
        const id = await exhibit.getAttribute("id");
        expect(await operate(page, exhibit), `${id} has something to operate`).not.toBeNull();
        const undo = exhibit.getByRole("button", { name: t.undo, exact: true });
        await expect.poll(() => undo.isEnabled(), { message: `${id} changes` }).toBe(true);
        await undo.focus();
        await page.keyboard.press("Enter");
        await expect.poll(() => undo.isEnabled(), { message: `${id} goes back` }).toBe(false);
      }
      expect(problems).toEqual([]);
      await close();
    });
  },
);

const STEPS = ["key", "query", "value", "score", "scale", "softmax", "weigh", "sum"] as const;

it("the steps of the worked example have no violations in any theme", async () => {
  const { page, close } = await visit(browser, "?chapter=one-query&lang=en", {
    reducedMotion: "reduce",
  });
  const { steps } = MESSAGES.en.oneQuery;
  const stepper = page.locator(".stepper");
  for (const step of STEPS) {
    await stepper.getByRole("button", { name: new RegExp(`${steps[step].name}$`) }).click();
    await expectNoViolations(page, "#worked-example");
  }
  await expectEveryTheme(page, "#worked-example");
  await close();
});

it.each([
  "?chapter=one-query&lang=en&printed=1&step=sum",
  "?chapter=one-query&lang=en&numbers=words&step=weigh",
  "?chapter=one-query&lang=en&x=none",
])("%s has no violations in any theme", async (query) => {
  const { page, close } = await visit(browser, query, { reducedMotion: "reduce" });
  await expectNoViolations(page, "#worked-example");
  await expectEveryTheme(page, "#worked-example");
  await close();
});

it("an open drawer, a table and an edit have no violations in any theme", async () => {
  const query = "?chapter=position&lang=en&n=20&d=8&p=0.5&columns=0,1,2,3,4,5";
  const { page, close } = await visit(browser, query, { reducedMotion: "reduce" });
  const t = MESSAGES.en;
  const part = "#positional-encoding";
  await page.getByText(t.position.heatTable).click();
  await page.locator(part).getByText(t.numbers.title).click();
  await page.getByRole("button", { name: t.numbers.showLabel("P"), exact: true }).click();
  await page.locator(`${part} td.editable`).first().click();
  await page.keyboard.type("x");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").waitFor();
  await expectNoViolations(page, part);
  await expectEveryTheme(page, part);
  await close();
});

it("measuring has no violations in any theme", async () => {
  const query = "?chapter=speed&lang=en&shape=decode&seconds=2";
  const { page, close } = await visit(browser, query, { reducedMotion: "reduce" });
  const t = MESSAGES.en.speed;
  await page.getByText(t.table).click();
  await page.locator("details.ratios:not([open]) > summary").first().click();
  await page.locator("details.ratios:not([open]) > summary").click();
  await page.getByRole("button", { name: t.measure }).click();
  await page.getByRole("progressbar").waitFor();
  await expectNoViolations(page, "#speed");
  await page.locator("#speed").getByText(t.finished).waitFor({ timeout: 50_000 });
  await expectNoViolations(page, "main");
  await expectEveryTheme(page, "main");
  await close();
});

describe("in forced colours", () => {
  it.each(["light", "dark"] as const)("%s, the figures can be told apart", async (colorScheme) => {
    const { page, problems, close } = await visit(browser, "?chapter=position&lang=en", {
      colorScheme,
      forcedColors: "active",
    });
    await expectNoViolations(page);
    // The heat map keeps its colours, on whichever ground, and its frame.
    const colours = await page.locator(".heat canvas").first().evaluate((element) => {
      const canvas = element as HTMLCanvasElement;
      const { width, height } = canvas;
      const { data } = canvas.getContext("2d")!.getImageData(0, 0, width, height);
      const pixels = Array.from({ length: width * height }, (_, i) => data.slice(4 * i, 4 * i + 3));
      return new Set(pixels.map((pixel) => pixel.join())).size;
    });
    expect(colours).toBeGreaterThan(50);
    const outline = (selector: string) =>
      page.locator(selector).first().evaluate((element) => getComputedStyle(element).outlineStyle);
    expect(await outline(".heat .surface")).toBe("solid");
    // The curves differ in their dashes, and stand out from the ground.
    const curves = await page.locator(".chart path").evaluateAll((paths) =>
      paths.slice(0, 4).map((path) => getComputedStyle(path).strokeDasharray),
    );
    expect(new Set(curves).size).toBe(4);
    expect(await page.locator("html").getAttribute("data-contrast")).toBe("more");

    await page.goto(page.url().replace("position", "attention"));
    const bar = page.locator(".columns .bar").first();
    await bar.waitFor();
    const grounds = await bar.evaluate((element) =>
      [element, element.closest(".surface")!].map((one) => getComputedStyle(one).backgroundColor),
    );
    expect(grounds[0]).not.toBe(grounds[1]);
    expect(problems).toEqual([]);
    await close();
  });
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
