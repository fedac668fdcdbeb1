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
