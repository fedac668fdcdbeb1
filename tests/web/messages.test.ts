// Every sentence exists in every language, and none is left in another one.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Converter } from "opencc-js";
import { parse } from "svelte/compiler";
import { describe, expect, it } from "vitest";
import { pieces } from "../../web/src/lib/markup";
import { terms } from "../../web/src/messages/terms";
import { LANGUAGES, type Language } from "./support/browser";
import { MESSAGES } from "./support/messages";

const SOURCE = fileURLToPath(new URL("../../web/src", import.meta.url));

/** All sentences by the path of their key; functions are called with stand-ins. */
function sentences(value: unknown, path = ""): [string, string][] {
  if (typeof value === "string") return [[path, value]];
  if (typeof value === "function") {
    const stand = Array.from({ length: value.length }, (_, i) => i + 2);
    return [[path, String((value as (...given: unknown[]) => string)(...stand))]];
  }
  return Object.entries(value as object).flatMap(([key, inner]) =>
    sentences(inner, path === "" ? key : `${path}.${key}`),
  );
}

const ALL = Object.fromEntries(
  LANGUAGES.map((language) => [language, new Map(sentences(MESSAGES[language]))]),
) as Record<Language, Map<string, string>>;

/** Without formulae, code, text marked as another language, and what is written alike everywhere. */
const bare = (text: string) =>
  text
    .replace(/\$\w+\$|`[^`]*`|<[\w-]+\|[^>]*>/g, "")
    .replace(
      /Chromium|Chrome|Firefox|Safari|WebAssembly|CSV|Transformer|softmax|dropout|hard attention/gi,
      "",
    )
    .replace(/\b(?:log|elu|ReLU|BERT-base|Big Bird|Node|onnxruntime|PyTorch)\b|GFLOP\/s|GB\/s|[MG]iB/g, "")
    .replace(/Long Range Arena|ListOps|Pathfinder|Path-X|arXiv|TPU|KiB|\bTay\b|\bSparse\b/g, "")
    .replace(/Longformer|Linformer|Performer|Reformer|Sinkhorn|Synthesizer/g, "")
    .replace(/FNet|MLP-Mixer|gMLP/g, "")
    .replace(/Thinking Machines|Enter|Esc|Tab|\b(?:query|key|value|head)\b(?=）)|µs|ms|kB/g, "");

const HAN = /\p{Script=Han}/u;

it("has the same keys in every language", () => {
  for (const language of LANGUAGES) {
    expect([...ALL[language].keys()]).toEqual([...ALL.en.keys()]);
  }
});

it("has no empty sentence", () => {
  for (const language of LANGUAGES) {
    for (const [key, text] of ALL[language]) expect(text.trim(), `${language} ${key}`).not.toBe("");
  }
});

it("has only formulae that exist", () => {
  for (const language of LANGUAGES) {
    for (const text of ALL[language].values()) expect(() => pieces(text)).not.toThrow();
  }
});

it("keeps the formulae and numbers of a sentence in every language", () => {
  const signs = (text: string) =>
    [...text.matchAll(/\$\w+\$|`[^`]*`/g)].map((match) => match[0]).sort();
  for (const [key, text] of ALL.en) {
    for (const language of LANGUAGES) {
      expect(signs(ALL[language].get(key)!), `${language} ${key}`).toEqual(signs(text));
    }
  }
});

it("has no Chinese in the English sentences", () => {
  for (const [key, text] of ALL.en) expect(bare(text), key).not.toMatch(HAN);
});

describe.each(["zh-Hans", "zh-Hant"] as const)("in %s", (language) => {
  it("has no English left", () => {
    for (const [key, text] of ALL[language]) {
      const rest = bare(text);
      expect(rest, key).not.toMatch(/[A-Za-z]{3,}/);
      if (/[A-Za-z]{3,}/.test(bare(ALL.en.get(key)!))) expect(rest, key).toMatch(HAN);
    }
  });

  it("has no character of the other script", () => {
    const own =
      language === "zh-Hans"
        ? Converter({ from: "t", to: "cn" })
        : Converter({ from: "cn", to: "tw" });
    for (const [key, text] of ALL[language]) expect(own(bare(text)), key).toBe(bare(text));
  });

  it("has its own punctuation", () => {
    for (const [key, text] of ALL[language]) {
      expect(bare(text), key).not.toMatch(/\p{Script=Han}[,;:?!]|\p{Script=Han}\.(?!\w)/u);
    }
  });
});

it("has every term in every language", () => {
  for (const term of terms) {
    for (const language of LANGUAGES) expect(term[language].trim()).not.toBe("");
  }
});

describe("the components", () => {
  const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".svelte"),
  );

  /** Words written into a component instead of a message file. */
  function words(node: unknown): string[] {
    if (Array.isArray(node)) return node.flatMap(words);
    if (node === null || typeof node !== "object") return [];
    const { type, data, name, value, fragment, ...rest } = node as Record<string, unknown>;
    if (type === "Comment" || type === "StyleDirective") return [];
    if (type === "Text") return /\p{L}{2,}/u.test(String(data)) ? [String(data).trim()] : [];
    if (type === "Attribute" && typeof name === "string") {
      const spoken = /^(?:aria-label|aria-description|title|alt|placeholder)$/.test(name);
      return spoken ? words(value) : [];
    }
    return words([fragment, value, ...Object.values(rest)]);
  }

  it.each(files)("%s has no sentence of its own", (file) => {
    const { fragment } = parse(readFileSync(join(SOURCE, file), "utf8"), { modern: true });
    expect(words(fragment)).toEqual([]);
  });
});
