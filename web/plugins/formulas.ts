// Renders the TeX of src/formulas.json to MathML while the page is built, so that the reader's
// browser gets markup it draws and reads aloud by itself, and no mathematics library.
import type { Plugin } from "vite";
import { renderFormulas, SOURCE } from "./mathml.ts";

export function formulas(): Plugin {
  return {
    name: "qkv-formulas",
    enforce: "pre",
    load(id) {
      return id === SOURCE ? JSON.stringify(renderFormulas()) : null;
    },
  };
}
