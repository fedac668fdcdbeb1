// WCAG 2.2 AA as far as axe can check it, on the page as it stands.
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { expect } from "vitest";

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** `part` of the page, where the rest was checked before. */
function within(page: Page, part: string | undefined): AxeBuilder {
  const builder = new AxeBuilder({ page });
  return part === undefined ? builder : builder.include(part);
}

async function expectNone(builder: AxeBuilder): Promise<void> {
  // Without frames the results need not be collected in a page of their own.
  const { violations } = await builder.setLegacyMode().analyze();
  const found = violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ target, failureSummary }) => `${target.join(" ")} ${failureSummary}`).join("; ")}`,
  );
  expect(found).toEqual([]);
}

export const expectNoViolations = (page: Page, part?: string): Promise<void> =>
  expectNone(within(page, part).withTags(TAGS));

/** What depends on the width of the screen, where everything was checked on a wide one. */
export const expectFits = (page: Page): Promise<void> =>
  expectNone(new AxeBuilder({ page }).withRules(["target-size", "scrollable-region-focusable"]));

/** After a change of colours alone, with everything else checked before: 4.5 to 1, or 7 to 1. */
export const expectContrast = (page: Page, level: "usual" | "more", part?: string): Promise<void> =>
  expectNone(
    within(page, part).withRules([level === "more" ? "color-contrast-enhanced" : "color-contrast"]),
  );
