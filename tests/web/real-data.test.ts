// Real data: word vectors, counts of a corpus, tokens. Golden numbers were worked out from the
// packages themselves.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import glove from "../../web/data/glove.json";
import { WordVectors } from "../../web/src/lib/word-vectors";
import { expectNoViolations } from "./support/axe";
import { LANGUAGES, launch, numberIn, visit } from "./support/browser";
import { MESSAGES } from "./support/messages";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const open = (query: string) => visit(browser, `?lang=en&chapter=${query}`);
const bar = async (page: Page, exhibit: string, id: string) =>
  numberIn(
    (await page.locator(`#${exhibit} [data-bar="${id}"] .number`).first().textContent())!,
  );
const fact = async (page: Page, exhibit: string, id: string) =>
  (await page.locator(`#${exhibit} [data-fact="${id}"] dd`).textContent())!.trim();

/** The vectors are fetched when their figure is near. */
async function near(page: Page, exhibit: string): Promise<void> {
  await page.locator(`#${exhibit}`).scrollIntoViewIfNeeded();
  await page.locator(`#${exhibit} .bars`).first().waitFor();
}

const IDS = "464 5044 1422 470 3272 262 4675 780 340 373 1165".split(" ");

describe("the file of the vectors", () => {
  const real = new WordVectors(glove);
  const cosine = (a: string, b: string) => {
    const [x, y] = [real.of([a]).data, real.of([b]).data];
    const dot = (p: Float32Array, q: Float32Array) => p.reduce((sum, v, i) => sum + v * q[i]!, 0);
    return dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y));
  };

  it.each([
    ["saw", "see", 0.7213],
    ["saw", "hammer", 0.3175],
    ["king", "queen", 0.7508],
    ["it", "street", 0.5064],
    ["it", "animal", 0.4157],
    ["tired", "street", 0.3196],
    ["tired", "animal", 0.1697],
  ] as const)("%s and %s have the cosine %d", (a, b, golden) => {
    expect(Math.abs(cosine(a, b) - golden)).toBeLessThan(1e-4);
  });

  it("has no single letters, and says so", () => {
    expect([real.has("I"), real.has("a"), real.has("Saw")]).toEqual([false, false, true]);
    expect(real.of(["I"]).data.every((value) => value === 0)).toBe(true);
  });
});

describe.each(LANGUAGES)("in %s", (language) => {
  const t = MESSAGES[language].realData;

  it("both saw have the same vector of GloVe, nearer to see than to hammer", async () => {
    const { page, problems, close } = await visit(
      browser,
      `?chapter=sets&lang=${language}&vectors=glove`,
    );
    await near(page, "same-word");
    expect(await bar(page, "same-word", "word")).toBe(0);
    expect(await bar(page, "same-word", "attention")).toBe(0);
    expect(await bar(page, "same-word", "both")).toBeGreaterThan(0.01);
    expect(await bar(page, "same-word", "saw-see")).toBeCloseTo(0.7213, 3);
    expect(await bar(page, "same-word", "saw-hammer")).toBeCloseTo(0.3175, 3);
    expect(await bar(page, "same-word", "king-queen")).toBeCloseTo(0.7508, 3);
    await page.getByText(t.same.unknown("I, a")).waitFor();
    expect(problems).toEqual([]);
    await close();
  });

  it("saw is a verb 347 times and a noun 5 times, and the baseline is 94.35 %", async () => {
    const { page, problems, close } = await visit(browser, `?chapter=sets&lang=${language}`);
    expect(await bar(page, "ambiguous", "verb")).toBe(347);
    expect(await bar(page, "ambiguous", "noun")).toBe(5);
    await page.locator("#ambiguous").getByText(t.ambiguous.sawVerb(338, 9)).waitFor();
    expect(await fact(page, "ambiguous", "tokens")).toBe("1,161,192");
    expect(await fact(page, "ambiguous", "right")).toBe("94.35 %");
    expect(await fact(page, "ambiguous", "ambiguous")).toBe("23.44 %");
    expect(await fact(page, "ambiguous", "right-of-ambiguous")).toBe("81.10 %");
    expect(problems).toEqual([]);
    await close();
  });

  it.each([
    ["tired", "it", 0.5064, 0.4157, 10032],
    ["tired", "last", 0.3196, 0.1697, 10032],
    ["wide", "it", 0.5064, 0.4157, 3094],
    ["wide", "last", 0.3667, 0.3013, 3094],
  ] as const)("%s, asked by %s: likeness picks the street", async (...given) => {
    const [ending, asks, street, animal, last] = given;
    const { page, problems, close } = await visit(
      browser,
      `?chapter=one-query&lang=${language}&ending=${ending}&asks=${asks}`,
    );
    await near(page, "pronoun");
    expect(await bar(page, "pronoun", "street")).toBeCloseTo(street, 3);
    expect(await bar(page, "pronoun", "animal")).toBeCloseTo(animal, 3);
    expect(await fact(page, "pronoun", "change")).toBe("0");
    const asking = asks === "it" ? "it" : ending;
    const verdict =
      ending === "wide"
        ? t.pronoun.right(asking, "street")
        : t.pronoun.wrong(asking, "street", "animal");
    await page.getByText(verdict).waitFor();
    const ids = page.locator("#pronoun tbody tr td:nth-child(2)");
    expect(await ids.allTextContents()).toEqual([...IDS, String(last)]);
    expect(problems).toEqual([]);
    await close();
  });
});

it("the vectors are not fetched before their figure is near", async () => {
  const { page, close } = await visit(browser, "?chapter=one-query&lang=en", { own: {} });
  const fetched = () =>
    page.evaluate(() =>
      performance.getEntriesByType("resource").some(({ name }) => name.includes("glove")),
    );
  await page.waitForTimeout(500);
  expect(await fetched()).toBe(false);
  await near(page, "pronoun");
  expect(await fetched()).toBe(true);
  await close();
});

it("says when the vectors could not be loaded", async () => {
  const { page, close } = await visit(browser, "?chapter=sets&lang=en&vectors=glove", {
    own: {},
    before: (opened) => opened.route("**/glove-*.js", (route) => route.abort()),
    expected: /glove/,
  });
  await page.locator("#same-word").scrollIntoViewIfNeeded();
  await page.getByRole("alert").filter({ hasText: MESSAGES.en.realData.failed }).waitFor();
  await close();
});

it("the weights add up to 1, by dot product too, and the street has more than the animal", async () => {
  for (const likeness of ["cosine", "scaledDot"]) {
    const { page, close } = await open(`one-query&likeness=${likeness}`);
    await near(page, "pronoun");
    const weights = await page
      .locator('#pronoun [data-group="weights"] .number')
      .allTextContents();
    const numbers = weights.map(numberIn);
    expect(numbers).toHaveLength(12);
    expect(numbers.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 2);
    expect(numbers[6]).toBeGreaterThan(numbers[1]!);
    await close();
  }
});

it("another word of the corpus, by the address and by a click", async () => {
  const { page, close } = await open("sets&word=right");
  expect(await bar(page, "ambiguous", "adjective")).toBe(224);
  await page.locator("#ambiguous").getByRole("radio", { name: "light" }).check();
  expect(await bar(page, "ambiguous", "noun")).toBe(260);
  await expect.poll(() => page.url()).toContain("word=light");
  await close();
});

it.each([
  ["sets&vectors=bert", "same-word"],
  ["sets&word=xyzzy", "ambiguous"],
  ["one-query&ending=old", "pronoun"],
  ["one-query&sharpness=1000000000", "pronoun"],
])("leaves out %s and says so", async (query, exhibit) => {
  const { page, problems, close } = await open(query);
  await page.locator(`#${exhibit}`).getByRole("alert").waitFor();
  expect(problems).toEqual([]);
  await close();
});

describe.each([
  ["sets&vectors=glove", "same-word"],
  ["one-query&likeness=scaledDot", "pronoun"],
])("%s", (query, exhibit) => {
  it("has no violations, and fits a small screen", async () => {
    const { page, close } = await visit(browser, `?lang=zh-Hant&chapter=${query}`, { width: 320 });
    await near(page, exhibit);
    await expectNoViolations(page, `#${exhibit}`);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    await close();
  });
});
