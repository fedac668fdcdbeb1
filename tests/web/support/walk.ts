// A walk through a page by keyboard alone, and what it did not come to.
import type { Locator, Page } from "playwright-core";

const MOST_STEPS = 600;

/** Presses Tab from the top of the page to its end. */
async function walk(page: Page): Promise<void> {
  await page.evaluate(() => {
    addEventListener("focusin", ({ target }) => {
      const element = target as HTMLElement;
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      const seen = outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 2;
      element.dataset["walked"] = seen ? "seen" : "unseen";
    });
    (document.activeElement as HTMLElement | null)?.blur();
  });
  const last = page.locator("a[href], button:enabled, input, summary").last();
  for (let step = 0; step < MOST_STEPS; step += 1) {
    await page.keyboard.press("Tab");
    // Asked now and then: each question costs as much as the step.
    if (step % 8 === 7 && (await last.getAttribute("data-walked")) !== null) return;
  }
  throw new Error(`Tab does not come to the end of the page in ${MOST_STEPS} steps`);
}

/** Everything in the page that can be operated but was not reached, or whose focus is not seen. */
export async function unreached(page: Page): Promise<string[]> {
  await walk(page);
  return page.evaluate(() => {
    const operable =
      "a[href], button:enabled, input:enabled, select:enabled, textarea, summary, [tabindex='0']";
    const walked = (element: HTMLElement) => element.dataset["walked"] !== undefined;
    const group = (radio: HTMLInputElement) =>
      document.querySelectorAll<HTMLInputElement>(`input[name="${CSS.escape(radio.name)}"]`);
    // Of radio buttons one has the focus, and arrow keys lead to the others.
    const reached = (element: HTMLElement) =>
      element instanceof HTMLInputElement && element.type === "radio"
        ? [...group(element)].some(walked)
        : walked(element);
    const all = [...document.querySelectorAll<HTMLElement>(operable)];
    return all
      .filter((element) => element.checkVisibility())
      .filter((element) => !reached(element) || element.dataset["walked"] === "unseen")
      .map((element) => `${element.dataset["walked"] ?? "unreached"}: ${element.outerHTML.slice(0, 120)}`);
  });
}

/** Changes something in an exhibit by keyboard; tells what it used, or null if there is nothing. */
export async function operate(page: Page, exhibit: Locator): Promise<string | null> {
  const first = async (selector: string) => {
    const found = exhibit.locator(selector).filter({ visible: true });
    if ((await found.count()) === 0) return null;
    await found.first().focus();
    return found.first();
  };
  const range = await first("input[type='range']");
  if (range) {
    const atEnd = await range.evaluate((element) => {
      const { value, max } = element as HTMLInputElement;
      return value === max;
    });
    await page.keyboard.press(atEnd ? "ArrowLeft" : "ArrowRight");
    return "range";
  }
  if (await first("input[type='radio']:checked")) {
    await page.keyboard.press("ArrowDown");
    return "radio";
  }
  if (await first("input[type='checkbox']")) {
    await page.keyboard.press("Space");
    return "checkbox";
  }
  if (await first("select")) {
    await page.keyboard.press("ArrowDown");
    return "select";
  }
  if (await first("td.editable[tabindex='0']")) {
    await page.keyboard.type("7");
    await page.keyboard.press("Enter");
    return "cell";
  }
  return null;
}
