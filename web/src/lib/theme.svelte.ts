// Light or dark: the system's choice, unless the reader makes one. See also public/theme.js.

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "qkv-theme";
const system = matchMedia("(prefers-color-scheme: dark)");

function stored(): Theme {
  try {
    const value = localStorage.getItem(KEY);
    return value === "light" || value === "dark" ? value : "system";
  } catch {
    return "system"; // storage switched off
  }
}

class ThemeSwitch {
  chosen = $state<Theme>(stored());
  #systemDark = $state(system.matches);
  readonly shown = $derived(
    this.chosen === "system" ? (this.#systemDark ? "dark" : "light") : this.chosen,
  );

  constructor() {
    system.addEventListener("change", () => (this.#systemDark = system.matches));
  }

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
