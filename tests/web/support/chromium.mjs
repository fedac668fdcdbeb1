// The machine's own Chromium, so that none has to be downloaded.
import { chromium } from "playwright-core";
import { provideChromium } from "../../../bindings/toolchain/chromium.mjs";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** @returns {Promise<import("playwright-core").Browser>} */
export function launch() {
  return chromium.launch({
    executablePath: provideChromium(),
    args: FLAGS,
  });
}

/**
 * The chapter to its end. What is long or needs data of its own comes when the reader is near: each
 * such place is brought into view until what belongs there has taken its place.
 *
 * @param {import("playwright-core").Page} page
 */
export async function whole(page) {
  for (let place; (place = await page.$("[data-coming]")); ) {
    await place.evaluate((element) => element.scrollIntoView());
    await place.waitForElementState("hidden");
  }
  await page.evaluate(() => scrollTo(0, 0));
}
