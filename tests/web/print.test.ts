// On paper: all of a chapter, nothing that only works on a screen, and nothing cut off.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHAPTERS, LANGUAGES, launch, visit } from "./support/browser";
import { MESSAGES } from "./support/messages";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

/** Between the margins of an A4 sheet. */
const SHEET = 688;

async function toPaper(page: Page): Promise<void> {
  await page.emulateMedia({ media: "print" });
  await page.setViewportSize({ width: SHEET, height: 900 });
  // The page is told in the next frame, and charts have a new width in the one after.
  await page.evaluate(async () => {
    for (let i = 0; i < 3; i += 1) await new Promise(requestAnimationFrame);
  });
}

/** What stands beyond the right edge of the sheet, or of a part that cuts it off. */
const cutOff = (page: Page) =>
  page.evaluate((sheet) => {
    const clips = (element: Element) => {
      const { overflowX } = getComputedStyle(element);
      return overflowX !== "visible" && element.scrollWidth > element.clientWidth + 1;
    };
    return Array.from(document.querySelectorAll("main *"))
      .filter((element) => element.checkVisibility() && !element.closest(".visually-hidden, math"))
      .filter((element) => element.getBoundingClientRect().right > sheet + 1 || clips(element))
      .map((element) => `${element.tagName} ${element.className} ${element.textContent}`.slice(0, 90));
  }, SHEET);

describe.each(CHAPTERS.map((chapter, i) => [chapter, LANGUAGES[(i + 1) % 3]!] as const))(
  "%s, in %s,",
  (chapter, language) => {
    it("has everything on the sheet, and no controls", async () => {
      const { page, problems, close } = await visit(browser, `?chapter=${chapter}&lang=${language}`, {
        colorScheme: "dark",
      });
      await toPaper(page);
      expect(await page.locator("h1").isVisible()).toBe(true);
      const controls = "button:not(.picture), input[type='range'], input[type='radio'], nav, summary";
      const visible = await page.locator(controls).filter({ visible: true }).evaluateAll((all) =>
        all
          .filter((one) => one.tagName !== "SUMMARY" || !one.closest("details")!.open)
          .map((one) => one.outerHTML),
      );
      expect(visible).toEqual([]);
      expect(await cutOff(page)).toEqual([]);
      expect(problems).toEqual([]);
      await close();
    });
  },
);

it("unfolds the tables that fit a sheet, and folds them again", async () => {
  const { page, close } = await visit(browser, "?chapter=attention&lang=en");
  const weights = page.locator("#focus details table").first();
  expect(await weights.count()).toBe(0);
  await toPaper(page);
  expect(await weights.getByRole("row").count()).toBe(9);
  await page.emulateMedia({ media: "screen" });
  await weights.waitFor({ state: "detached" });
  await close();

  // 60 positions are more than a page of a table.
  const position = await visit(browser, "?chapter=position&lang=en");
  await toPaper(position.page);
  expect(await position.page.getByText(MESSAGES.en.position.heatTable).isVisible()).toBe(false);
  await position.close();
});

it("is light, whatever the screen is, also where pixels are drawn", async () => {
  const { page, close } = await visit(browser, "?chapter=position&lang=en", {
    colorScheme: "dark",
  });
  const canvas = page.locator("#positional-encoding .heat canvas").first();
  const brightness = () =>
    canvas.evaluate((element) => {
      const { width, height } = element as HTMLCanvasElement;
      const context = (element as HTMLCanvasElement).getContext("2d")!;
      const { data } = context.getImageData(0, 0, width, height);
      return data.reduce((sum, value) => sum + value, 0) / data.length;
    });
  const dark = await brightness();
  // As a browser announces it, all in one go: it does not wait before it lays the sheets out.
  const announced = await page.evaluate(async () => {
    dispatchEvent(new Event("beforeprint"));
    await Promise.resolve();
    return document.documentElement.dataset["theme"];
  });
  expect(announced).toBe("light");
  expect(await brightness()).toBeGreaterThan(dark + 10);
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  await expect.poll(brightness).toBe(dark);
  await close();
});

it("keeps what was set, without the controls that set it", async () => {
  const { page, close } = await visit(browser, "?chapter=attention&lang=en");
  await toPaper(page);
  const choices = page.locator("#soft-hard fieldset");
  for (const choice of await choices.all()) {
    expect(await choice.locator("label").filter({ visible: true }).count()).toBe(1);
  }
  const temperature = page.locator("#focus .slider input.field");
  expect(await temperature.isVisible()).toBe(true);
  expect(await temperature.inputValue()).toBe("0");
  await close();
});

it("comes out of the browser as sheets", async () => {
  const { page, close } = await visit(browser, "?chapter=bill&lang=en");
  const pdf = (await page.pdf({ format: "A4", preferCSSPageSize: true })).toString("latin1");
  const sheets = pdf.match(/\/Type \/Page\b/g)?.length;
  expect(sheets).toBeGreaterThanOrEqual(2);
  expect(sheets).toBeLessThanOrEqual(4);
  await close();
});
