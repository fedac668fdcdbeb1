// A page of the tutorial in the machine's Chromium, watched for everything that must not happen.
import type {
  Browser,
  BrowserContext,
  BrowserContextOptions,
  Locator,
  Page,
} from "playwright-core";
import { inject } from "vitest";

export { launch, whole } from "./chromium.mjs";

export const LANGUAGES = ["en", "zh-Hans", "zh-Hant"] as const;
export type Language = (typeof LANGUAGES)[number];
export const CHAPTERS = [
  "start",
  "attention",
  "sets",
  "one-query",
  "matrices",
  "heads",
  "position",
  "neighbours",
  "bill",
  "masks",
  "content",
  "fewer-keys",
  "reorder",
  "without",
  "arena",
  "speed",
] as const;

export interface Visit {
  readonly page: Page;
  /** Errors in the console, refused by the security policy, or sent to another host. */
  readonly problems: string[];
  readonly close: () => Promise<void>;
}

export interface Wish {
  readonly colorScheme?: "light" | "dark";
  readonly forcedColors?: "active";
  readonly reducedMotion?: "reduce";
  readonly width?: number;
  /** What only a browsing context of its own can have. */
  readonly own?: BrowserContextOptions;
  /** Runs before the page is opened, for example to answer requests differently. */
  readonly before?: (page: Page) => Promise<unknown>;
  /** Errors of the console that the test provokes itself. */
  readonly expected?: RegExp;
  /** Where the page is served, if not where all others are. */
  readonly url?: string;
}

// Only the tests of the service worker want one: it would answer what other tests ask to be answered
// differently, and fetches the whole course.
const WITHOUT_WORKER: BrowserContextOptions = { serviceWorkers: "block" };
const BLOCKED = /Service Worker registration blocked by Playwright/;

// One context for most pages of a file: what has been fetched once need not be fetched again.
const shared = new WeakMap<Browser, Promise<BrowserContext>>();

function sharedContext(browser: Browser): Promise<BrowserContext> {
  let context = shared.get(browser);
  if (!context) {
    context = browser.newContext(WITHOUT_WORKER);
    shared.set(browser, context);
  }
  return context;
}

/** Opens the page with these entries in its address and waits until the numbers are there. */
export async function visit(browser: Browser, query: string, wish: Wish = {}): Promise<Visit> {
  const context = wish.own
    ? await browser.newContext({ ...WITHOUT_WORKER, ...wish.own })
    : await sharedContext(browser);
  const page = await context.newPage();
  await page.setViewportSize({ width: wish.width ?? 1280, height: 900 });
  await page.emulateMedia({
    colorScheme: wish.colorScheme ?? "light",
    forcedColors: wish.forcedColors ?? "none",
    reducedMotion: wish.reducedMotion ?? "no-preference",
  });
  const problems: string[] = [];
  const url = wish.url ?? inject("url");
  const { origin } = new URL(url);
  page.on("console", (message) => {
    const text = `${message.text()} ${message.location().url}`;
    if (!["error", "warning"].includes(message.type())) return;
    if (BLOCKED.test(text) || wish.expected?.test(text)) return;
    problems.push(text);
  });
  page.on("pageerror", (error) => problems.push(String(error.stack)));
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== origin) problems.push(`request to ${request.url()}`);
  });
  await page.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) =>
      console.error(`refused by the policy: ${event.violatedDirective} ${event.blockedURI}`),
    );
  });
  await wish.before?.(page);
  await page.goto(`${url}${query}`);
  await page.locator("#chapter-title").waitFor();
  await page.locator(".card").first().waitFor();
  return { page, problems, close: () => (wish.own ? context.close() : page.close()) };
}

/** A number as the page writes it. */
export function numberIn(text: string): number {
  const plain = text.trim().replaceAll("−", "-").replaceAll(",", "").replace("∞", "Infinity");
  if (!/^-?(?:[\d.]+(?:e-?\d+)?|Infinity)$/.test(plain)) throw new Error(`no number: "${text}"`);
  return Number(plain);
}

/** The matrix on the page whose name ends like this, as the page's words for its tensors do. */
export function grid(page: Page, title: string): Locator {
  const end = title.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return page.getByRole("grid", { name: new RegExp(`${end}$`) }).first();
}

/** Its numbers, row by row. */
export async function numbersOf(table: Locator): Promise<number[][]> {
  await table.waitFor();
  const rows = await table.evaluate((element) =>
    Array.from(element.querySelectorAll("tbody tr"), (row) =>
      Array.from(row.querySelectorAll("td"), (cell) => cell.textContent ?? ""),
    ),
  );
  return rows.map((row) => row.map(numberIn));
}

/** What the live region says, once it has settled. */
export async function spoken(page: Page, what: RegExp | string): Promise<void> {
  await page.locator('[role="status"][aria-live="polite"]').filter({ hasText: what }).waitFor({
    state: "attached",
    timeout: 5000,
  });
}
