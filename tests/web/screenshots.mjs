// `npm run screenshots`: a picture of every chapter as it looks on a desktop, on a phone, in the dark,
// with high contrast, in forced colours and on paper, in build/screenshots.
//
//   npm run screenshots -- [chapter ...] [--language zh-Hans] [--look phone]
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { buildPage } from "../../web/build.mjs";
import { serve } from "../../web/server.mjs";
import { launch, whole } from "./support/chromium.mjs";

const FOLDER = fileURLToPath(new URL("../../build/screenshots", import.meta.url));

const LOOKS = {
  desktop: { width: 1280 },
  phone: { width: 360 },
  dark: { width: 1280, media: { colorScheme: "dark" } },
  contrast: { width: 1280, media: { contrast: "more" } },
  "contrast-dark": { width: 1280, media: { contrast: "more", colorScheme: "dark" } },
  forced: { width: 1280, media: { forcedColors: "active", colorScheme: "dark" } },
  paper: { width: 794, media: { media: "print" } },
};

/** The chapters that the page itself lists. */
async function chapters(page, url) {
  await page.goto(url);
  const links = page.locator("#contents a");
  await links.first().waitFor({ state: "attached" });
  return links.evaluateAll((all) =>
    all.map((link) => new URL(link.href).searchParams.get("chapter")),
  );
}

async function settle(page) {
  await page.locator("#chapter-title").waitFor();
  await whole(page);
  await page.waitForLoadState("networkidle");
  await page.evaluate(async () => {
    await document.fonts.ready;
    await new Promise((done) => setTimeout(done, 300));
  });
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      language: { type: "string", default: "en" },
      look: { type: "string", multiple: true, default: Object.keys(LOOKS) },
    },
  });
  await buildPage();
  const server = await serve({ port: 0 });
  const browser = await launch();
  await mkdir(FOLDER, { recursive: true });
  try {
    const context = await browser.newContext({ serviceWorkers: "block" });
    const page = await context.newPage();
    const all = await chapters(page, server.url);
    const wanted = positionals.length > 0 ? positionals : all;
    const unknown = wanted.filter((chapter) => !all.includes(chapter));
    if (unknown.length > 0) throw new Error(`No such chapter: ${unknown}. There are: ${all}.`);
    for (const chapter of wanted) {
      for (const look of values.look) {
        const { width, media = {} } = LOOKS[look];
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({
          media: "screen",
          colorScheme: "light",
          forcedColors: "none",
          contrast: "no-preference",
          ...media,
        });
        await page.goto(`${server.url}?chapter=${chapter}&lang=${values.language}`);
        await settle(page);
        const name = [chapter, look, ...(values.language === "en" ? [] : [values.language])];
        await page.screenshot({ path: join(FOLDER, `${name.join("-")}.png`), fullPage: true });
      }
      console.log(chapter);
    }
  } finally {
    await browser.close();
    await server.close();
  }
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
