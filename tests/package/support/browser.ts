// A fixture's page in the machine's Chromium, and what it computed.
import { chromium, type Browser } from "playwright-core";
import { provideChromium } from "../../../bindings/toolchain/chromium.mjs";

export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: provideChromium(),
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
}

export interface Shown {
  /** What was computed on the page itself. */
  readonly page: string;
  /** What was computed in a worker. */
  readonly worker: string;
  /** How many threads computed, on the page and in the worker; none where that failed. */
  readonly threads: readonly [string | null, string | null];
  /** Errors and warnings of the console, and what the security policy refused. */
  readonly problems: readonly string[];
}

export async function visit(browser: Browser, url: string): Promise<Shown> {
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(message.text());
  });
  const failed = new Promise<never>((_, reject) => {
    page.on("pageerror", (error) => reject(new Error([...problems, error.stack].join("\n"))));
  });
  await page.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) =>
      console.error(`refused by the policy: ${event.violatedDirective} ${event.blockedURI}`),
    );
  });
  try {
    await Promise.race([failed, page.goto(url)]);
    await Promise.race([failed, page.locator("body[data-done]").waitFor()]);
    const text = async (id: string) => (await page.locator(`#${id}`).textContent()) ?? "";
    const threads = (id: string) => page.locator(`#${id}`).getAttribute("data-threads");
    return {
      page: await text("page"),
      worker: await text("worker"),
      threads: [await threads("page"), await threads("worker")],
      problems,
    };
  } finally {
    await page.close();
  }
}
