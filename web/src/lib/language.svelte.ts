// The page's language: the reader's choice in the address, else the browser's own.
import type { Messages } from "../messages/en";
import { address } from "./address.svelte";

export const LANGUAGES = ["en", "zh-Hans", "zh-Hant"] as const;
export type Language = (typeof LANGUAGES)[number];

/** Each language by its own name. */
export const LANGUAGE_NAMES: Record<Language, string> = {
  en: "English",
  "zh-Hans": "简体中文",
  "zh-Hant": "繁體中文",
};

const LOADERS: Record<Language, () => Promise<{ messages: Messages }>> = {
  en: () => import("../messages/en"),
  "zh-Hans": () => import("../messages/zh-Hans"),
  "zh-Hant": () => import("../messages/zh-Hant"),
};

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

  /** Every sentence of the page in the current language. */
  get messages(): Messages {
    return this.#messages;
  }

  async start(): Promise<void> {
    await this.#load(requested());
  }

  async choose(language: Language): Promise<void> {
    await this.#load(language);
    address.write({ lang: language });
  }

  /** After a step back or forward. */
  async followAddress(): Promise<void> {
    const language = requested();
    if (language !== this.current) await this.#load(language);
  }

  async #load(language: Language): Promise<void> {
    const { messages } = await LOADERS[language]();
    this.#messages = messages;
    this.current = language;
    document.documentElement.lang = language;
  }
}

export const language = new PageLanguage();
