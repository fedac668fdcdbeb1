// When the module does not load, the page says why and what to do, and its text can be read.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LANGUAGES, launch, visit } from "./support/browser";
import { MESSAGES } from "./support/messages";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

type Answer = Parameters<Parameters<Page["route"]>[1]>[0] extends infer R
  ? R extends { fulfill(options?: infer O): Promise<void> }
    ? O
    : never
  : never;

const answering = (answer: Answer) => ({
  before: (page: Page) => page.route(/\.wasm(\?|$)/, (route) => route.fulfill(answer)),
  expected: /\.wasm/,
});

it.each(LANGUAGES)("tells in %s that HTML came instead of the module", async (language) => {
  const { page, problems, close } = await visit(
    browser,
    `?chapter=one-query&lang=${language}`,
    answering({ status: 200, contentType: "text/html", body: "<!doctype html><p>Hello</p>" }),
  );
  const t = MESSAGES[language];
  const panel = page.locator(".failed:visible");
  expect(await panel.count()).toBe(1);
  await panel.getByRole("heading", { name: t.failed.title }).waitFor();
  const reason = await panel.locator("blockquote").textContent();
  expect(reason).toMatch(/HTML/);
  expect(reason).toMatch(/\.wasm/);
  expect(await panel.locator("li").count()).toBe(t.failed.steps.length);
  await page.getByText(t.oneQuery.afterFormula).waitFor();
  expect(problems).toEqual([]);
  await close();
});

it("tells that the module was not found", async () => {
  const { page, problems, close } = await visit(
    browser,
    "?chapter=position&lang=en",
    answering({ status: 404, contentType: "text/plain", body: "no" }),
  );
  expect(await page.locator(".failed:visible blockquote").textContent()).toMatch(/404/);
  expect(problems).toEqual([]);
  await close();
});
