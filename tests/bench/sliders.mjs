// How the tutorial keeps up with the reader: every slider of every chapter is moved step by step,
// and what a step takes until the page is drawn again is measured; then every measurement of the
// page is started, and the longest task of the page meanwhile.
//
//   node tests/bench/sliders.mjs [chapter ...]
import { buildPage } from "../../web/build.mjs";
import { serve } from "../../web/server.mjs";
import { launch, whole } from "../web/support/chromium.mjs";

const STEPS = 24;
const WATCHED = 4000; // milliseconds of a measurement

/** In the page: a slider from where it is towards its other end, and the time of each step. */
async function moveSlider(slider, steps) {
  const [least, most, step] = ["min", "max", "step"].map((name) => Number(slider[name]) || 1);
  const before = slider.value;
  const stride = Math.max(step, Math.floor((most - least) / steps / step) * step);
  const up = slider.valueAsNumber + stride * steps <= most;
  const times = [];
  for (let i = 0; i < steps; i += 1) {
    const next = slider.valueAsNumber + (up ? stride : -stride);
    if (next < least || next > most) break;
    await new Promise(requestAnimationFrame);
    const begin = performance.now();
    slider.value = String(next);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    // The work of the change is done in microtasks; layout is part of the next frame.
    await Promise.resolve();
    void document.body.offsetHeight;
    times.push(performance.now() - begin);
  }
  slider.value = before;
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  slider.dispatchEvent(new Event("change", { bubbles: true }));
  return times.sort((a, b) => a - b);
}

/** In the page: the longest task from now on, in milliseconds. */
function watchTasks() {
  globalThis.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.longest = Math.max(globalThis.longest, duration);
  }).observe({ type: "longtask" });
}

async function open(page, url) {
  await page.goto(url);
  await page.locator("#chapter-title").waitFor();
  await whole(page);
  await page.waitForLoadState("networkidle");
  await page.waitForTimeout(300);
}

const row = (...cells) => console.log(cells.join("\t"));
const short = (milliseconds) => milliseconds.toFixed(1);

async function measureChapter(page, url, chapter) {
  const address = `${url}?chapter=${chapter}&lang=en`;
  await open(page, address);
  for (const slider of await page.locator(".exhibit input[type=range]").all()) {
    if (!(await slider.isVisible())) continue;
    const where = await slider.evaluate((element) => [
      element.closest(".exhibit").id,
      element.getAttribute("aria-label") ?? element.labels[0]?.textContent.trim() ?? "",
    ]);
    const times = await slider.evaluate(moveSlider, STEPS);
    if (times.length === 0) continue;
    row(chapter, ...where, short(times[times.length >> 1]), short(times.at(-1)));
  }
  await open(page, address);
  const exhibits = await page.locator(".exhibit:has(.measure) ").all();
  await page.evaluate(watchTasks);
  for (const exhibit of exhibits) {
    const id = await exhibit.getAttribute("id");
    await page.evaluate(() => (globalThis.longest = 0));
    await exhibit.locator(".measure button").first().click();
    await page.waitForTimeout(WATCHED);
    row(chapter, id, "longest task while it measures", "", short(await page.evaluate(() => globalThis.longest)));
    const stop = exhibit.locator(".measure button:enabled").last();
    await stop.click().catch(() => {});
  }
}

async function main(wanted) {
  await buildPage();
  const server = await serve({ port: 0 });
  const browser = await launch();
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await page.goto(server.url);
    const links = page.locator("#contents a");
    await links.first().waitFor({ state: "attached" });
    const all = await links.evaluateAll((list) =>
      list.map((link) => new URL(link.href).searchParams.get("chapter")),
    );
    row("chapter", "exhibit", "slider", "median ms", "worst ms");
    for (const chapter of wanted.length > 0 ? wanted : all) {
      await measureChapter(page, server.url, chapter);
    }
  } finally {
    await browser.close();
    await server.close();
  }
}

await main(process.argv.slice(2));
