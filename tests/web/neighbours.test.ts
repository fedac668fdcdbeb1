// Pictures, convolution, sound, graphs, and the table of the three kinds of layer.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { grid, LANGUAGES, launch, numberIn, numbersOf, spoken, visit } from "./support/browser";
import { MESSAGES } from "./support/messages";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const en = MESSAGES.en.neighbours;
const open = (query: string) => visit(browser, `?chapter=neighbours&lang=en${query}`);

const fact = (page: Page, id: string) =>
  page.locator(`#speech [data-fact="${id}"] dd`).textContent();

/** The table's cells, without the times. */
async function counted(page: Page, name: string): Promise<string[][]> {
  const table = page.getByRole("table", { name });
  await table.waitFor();
  const rows = await table
    .locator("tbody tr")
    .evaluateAll((all) =>
      all.map((row) => Array.from(row.querySelectorAll("td"), (cell) => cell.textContent.trim())),
    );
  return rows.map(([operations, , ...rest]) => [operations!, ...rest]);
}

describe.each(LANGUAGES)("the neighbours in %s", (language) => {
  const t = MESSAGES[language].neighbours;

  it("have the golden numbers", async () => {
    const { page, problems, close } = await visit(browser, `?chapter=neighbours&lang=${language}`);
    // The signal's neighbours times the kernel.
    expect(await numbersOf(grid(page, t.convolution.convolved))).toEqual([
      [-1, -1, 5, 7, 2, -4, 7, 6],
    ]);
    expect(await numbersOf(grid(page, t.convolution.attended))).toEqual([
      [-1, -1, 5, 7, 2, -4, 7, 6],
    ]);
    await page.getByText(t.convolution.gap("0"), { exact: true }).waitFor();
    // n(2r + 1) - r(r + 1)
    expect(await fact(page, "all-pairs")).toBe("160,000");
    expect(await fact(page, "near-pairs")).toBe("15,980");
    expect(await counted(page, t.compared.table)).toEqual([
      ["184,320", "1", "30"],
      ["61,440", "60", "59"],
      ["230,400", "1", "1"],
    ]);
    expect(problems).toEqual([]);
    await close();
  });

  it("keep strangers out of the graph only with −∞", async () => {
    const { page, close } = await visit(browser, `?chapter=neighbours&lang=${language}`);
    const sums = async () => (await numbersOf(grid(page, t.graph.sums))).flat();
    const strangers = async () => (await numbersOf(grid(page, t.graph.strangers))).flat();
    for (const sum of await sums()) expect(sum).toBeCloseTo(1, 4);
    expect(await strangers()).toEqual([0, 0, 0, 0, 0, 0]);
    await page.getByRole("radio", { name: t.graph.wayNames.score }).check();
    for (const sum of await sums()) expect(sum).toBeCloseTo(1, 4);
    for (const weight of await strangers()) expect(weight).toBeGreaterThan(0.01);
    await page.getByRole("radio", { name: t.graph.wayNames.weight }).check();
    expect(await strangers()).toEqual([0, 0, 0, 0, 0, 0]);
    for (const sum of await sums()) expect(sum).toBeLessThan(0.999);
    await close();
  });
});

it.each([
  ["&n=5&k=3", ["2", "4", "1"]],
  ["&n=1024&d=64&k=3", ["512", "1,023", "1"]],
])("measures the longest path: %s", async (entries, paths) => {
  const { page, close } = await open(entries);
  const rows = await counted(page, en.compared.table);
  expect(rows.map((row) => row.at(-1))).toEqual(paths);
  if (entries.includes("1024")) {
    expect(rows.map(([operations]) => operations)).toEqual([
      "12,582,912",
      "4,194,304",
      "134,217,728",
    ]);
  }
  await close();
});

it("blurs a convolution whose heads are not sharp", async () => {
  const { page, close } = await open("&sharp=0");
  const gap = await page.locator("#convolution > p").textContent();
  expect(numberIn(gap!.split(":")[1]!)).toBeGreaterThan(0.5);
  await close();
});

it("carries a change one edge further with each layer", async () => {
  const { page, close } = await open("");
  const moved = await numbersOf(grid(page, en.graph.movedTitle));
  // From node 6 along 6, 5, 4, 3: what is not reached has not moved at all.
  expect(moved.map((row) => row.map((move) => move > 0))).toEqual([
    [false, false, false, false, true, true],
    [false, false, false, true, true, true],
    [false, false, true, true, true, true],
    [true, true, true, true, true, true],
  ]);
  await close();
});

it("takes edges of 0 and 1 only", async () => {
  const { page, close } = await open("");
  const cell = grid(page, en.graph.edgesTitle).locator('td[data-row="0"][data-column="5"]');
  await cell.click();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("7");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").filter({ hasText: en.graph.edgeTakes }).waitFor();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("1");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.url()).toContain("edges=01,02,05,12,23,34,45");
  await close();
});

it("lets a pixel ask by keyboard, and changes one when drawing", async () => {
  const { page, close } = await open("");
  const picture = page.getByRole("application", { name: en.image.picture, exact: true });
  await picture.focus();
  await page.keyboard.press("ArrowRight");
  await spoken(page, "row 4, column 6, brightness 1");
  await page.getByText(en.image.asks(4, 6, "").split(",")[0]!).waitFor();
  await page.getByRole("checkbox", { name: en.image.draw }).check();
  await picture.focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => page.url()).toContain("pixels=");
  await close();
});

it("measures the three layers", async () => {
  const { page, problems, close } = await open("&n=16&d=8");
  const exhibit = page.locator("#layers-compared");
  await exhibit.getByRole("button", { name: MESSAGES.en.measuring.measure }).click();
  await exhibit.getByText(MESSAGES.en.measuring.finished).waitFor({ timeout: 30_000 });
  const table = page.getByRole("table", { name: en.compared.table });
  for (const text of await table.locator("tbody td:nth-child(3)").allTextContents()) {
    expect(text).toMatch(/^[\d.,]+ µs$/);
  }
  expect(problems).toEqual([]);
  await close();
});

it.each(["&pixels=01", "&edges=00", "&way=x", "&n=1000000000", "&kernel=1,2", "&frames=7"])(
  "leaves %s out and says so",
  async (entries) => {
    const { page, problems, close } = await open(entries);
    const alert = page.getByRole("alert").filter({ hasText: MESSAGES.en.exhibit.addressRefused });
    await alert.waitFor();
    expect(problems).toEqual([]);
    await close();
  },
);

it("checks the answers to its questions", async () => {
  const { page, close } = await open("");
  for (const [id, answer] of [
    ["window", "10390"],
    ["kernel", "5"],
    ["path", "2"],
  ] as const) {
    const form = page.locator(`[data-question="${id}"]`);
    await form.getByRole("textbox").fill(answer);
    await form.getByRole("button", { name: MESSAGES.en.questions.check }).click();
    await expect.poll(() => form.getAttribute("data-verdict")).toBe("right");
  }
  await close();
});
