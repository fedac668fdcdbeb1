// The page's language: the reader's choice in the address, else the browser's own.
import type { Base, Messages, Parts } from "../messages/en";
import { address } from "./address.svelte";

export const LANGUAGES = ["en", "zh-Hans", "zh-Hant"] as const;
export type Language = (typeof LANGUAGES)[number];

/** Each language by its own name. */
export const LANGUAGE_NAMES: Record<Language, string> = {
  en: "English",
  "zh-Hans": "简体中文",
  "zh-Hant": "繁體中文",
};

const LOADERS: Record<Language, () => Promise<{ base: Base }>> = {
  en: () => import("../messages/en"),
  "zh-Hans": () => import("../messages/zh-Hans"),
  "zh-Hant": () => import("../messages/zh-Hant"),
};

export type Part = keyof Parts;

const PART_LOADERS = import.meta.glob<Partial<Parts>>([
  "../messages/*/*.ts",
  // Part of what is always there.
  "!../messages/*/{course,titles,measuring}.ts",
]);

/** `queryMore` of English is messages/en/query-more.ts. */
async function loadPart(language: Language, part: Part): Promise<Partial<Parts>> {
  const file = part.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const module = await PART_LOADERS[`../messages/${language}/${file}.ts`]!();
  return { [part]: module[part] };
}

const TRADITIONAL = /^zh-(?:.*hant|tw|hk|mo)/i;

/** The first of the browser's languages that the page speaks. */
export function preferred(tags: readonly string[]): Language {
  for (const tag of tags) {
    if (/^en\b/i.test(tag)) return "en";
    if (/^zh\b/i.test(tag)) return TRADITIONAL.test(tag) ? "zh-Hant" : "zh-Hans";
  }
  return "en";
}

function requested(): Language {
  const entry = address.get("lang");
  return LANGUAGES.find((language) => language === entry) ?? preferred(navigator.languages);
}

class PageLanguage {
  current = $state<Language>("en");
  #messages = $state.raw() as Messages;
  #parts = new Set<Part>();
  #wanted: Language = "en";
  #loading: Promise<void> = Promise.resolve();

  /** The sentences of the page in the current language; of its parts those that were needed. */
  get messages(): Messages {
    return this.#messages;
  }

  async start(): Promise<void> {
    await this.#load(requested());
  }

  async choose(language: Language): Promise<void> {
    // First the address: whoever sees the new language looks there whether it is the wanted one.
    address.write({ lang: language });
    await this.#load(language);
  }

  /** After a step back or forward. */
  async followAddress(): Promise<void> {
    const language = requested();
    if (language !== this.current) await this.#load(language);
  }

  /** Loads the sentences of a chapter, now and in every language that is chosen later. */
  async need(parts: readonly Part[]): Promise<void> {
    const missing = parts.filter((part) => !this.#parts.has(part));
    if (missing.length === 0) return;
    for (const part of missing) this.#parts.add(part);
    await this.#load(this.#wanted);
  }

  // One after the other: whichever comes last sees all that is wanted by then.
  #load(language: Language): Promise<void> {
    this.#wanted = language;
    const next = () => this.#bring();
    this.#loading = this.#loading.then(next, next);
    return this.#loading;
  }

  async #bring(): Promise<void> {
    const language = this.#wanted;
    const [{ base }, ...parts] = await Promise.all([
      LOADERS[language](),
      ...[...this.#parts].map((part) => loadPart(language, part)),
    ]);
    this.#messages = Object.assign({}, base, ...parts) as Messages;
    this.current = language;
    document.documentElement.lang = language;
  }
}

export const language = new PageLanguage();
