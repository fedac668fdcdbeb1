// The browser of the page's tests. Browsers that a test library would download are not used: what
// the machine has is enough, and the download is not possible everywhere.
import { existsSync } from "node:fs";
import { SetUpError } from "./errors.mjs";
import { findOnPath } from "./processes.mjs";

// The same browser without windows of its own: the page's tests take less than half of the time.
const SHELL = "chromium-headless-shell";
const NAMES = [SHELL, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const ON_MACOS = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";

// The path of a Chromium or Chrome, or null. QKV_CHROMIUM comes first.
export function findChromium() {
  const given = process.env.QKV_CHROMIUM;
  if (given) {
    if (!existsSync(given))
      throw new SetUpError(
        `QKV_CHROMIUM names ${given}, which does not exist: correct it or unset it.`,
      );
    return given;
  }
  for (const name of NAMES) {
    const path = findOnPath(name);
    if (path) return path;
  }
  return existsSync(ON_MACOS) ? ON_MACOS : null;
}

// What Debian has to install for it. Releases before 12 have no shell.
export function chromiumPackages({ debianRelease }) {
  const wanted = debianRelease >= 12 ? SHELL : "chromium";
  return process.env.QKV_CHROMIUM || findOnPath(wanted) ? [] : [wanted];
}

export function provideChromium() {
  const path = findChromium();
  if (!path)
    throw new SetUpError(
      "No browser was found: install Chromium, or name one in QKV_CHROMIUM, and run this again.",
    );
  return path;
}
