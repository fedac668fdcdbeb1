// Light or dark, and with more contrast or not: the system's choice, unless the reader makes one. See
// also public/theme.js, which applies the same rules before the first paint.

import { printing } from "./printing.svelte";

export const THEMES = ["system", "light", "dark", "contrast"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "qkv-theme";

function stored(): Theme {
  try {
    const value = localStorage.getItem(KEY);
    return THEMES.find((theme) => theme === value) ?? "system";
  } catch {
    return "system"; // storage switched off
  }
}

/** A wish of the system, as it changes. */
class Wish {
  #query: MediaQueryList;
  granted: boolean = $state(false);

  constructor(media: string) {
    this.#query = matchMedia(media);
    this.granted = this.#query.matches;
    this.#query.addEventListener("change", () => (this.granted = this.#query.matches));
  }
}

class ThemeSwitch {
  chosen = $state<Theme>(stored());
  #dark = new Wish("(prefers-color-scheme: dark)");
  #contrast = new Wish("(prefers-contrast: more)");
  #forced = new Wish("(forced-colors: active)");

  // High contrast leaves it to the system whether the ground is light. So do forced colours, whose
  // ground is none of ours.
  readonly shown = $derived.by(() => {
    if (printing.now) return "light";
    if ((this.chosen === "light" || this.chosen === "dark") && !this.#forced.granted) {
      return this.chosen;
    }
    return this.#dark.granted ? "dark" : "light";
  });
  readonly contrast = $derived(
    this.chosen === "contrast" || this.#contrast.granted || this.#forced.granted
      ? "more"
      : "usual",
  );

  choose(theme: Theme): void {
    this.chosen = theme;
    try {
      if (theme === "system") localStorage.removeItem(KEY);
      else localStorage.setItem(KEY, theme);
    } catch {
      // The choice then lasts until the page is closed.
    }
  }
}

export const theme = new ThemeSwitch();
