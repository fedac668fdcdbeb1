// TeX to MathML, by Temml, as the formulae of the page need it.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import temml from "temml";

export const SOURCE = fileURLToPath(new URL("../src/formulas.json", import.meta.url));

type Group = Record<string, string>;
export interface Formulas {
  readonly inline: Group;
  readonly display: Group;
}

function render(tex: string, displayMode: boolean): string {
  return (
    temml
      .renderToString(tex, { displayMode, throwOnError: true, annotate: false })
      // The content security policy refuses inline styles; src/styles/math.css does their work.
      .replace(/ style="[^"]*"/g, "")
      // One letter is a variable, in italics; several are a name, and so is a letter set upright.
      .replace(/<mi(?: mathvariant="normal")?>(\w{2,})<\/mi>/g, '<mi class="upright">$1</mi>')
      .replace(/<mi mathvariant="normal">/g, '<mi class="upright">')
  );
}

const renderAll = (group: Group, displayMode: boolean): Group =>
  Object.fromEntries(Object.entries(group).map(([name, tex]) => [name, render(tex, displayMode)]));

export function renderFormulas(): Formulas {
  const source = JSON.parse(readFileSync(SOURCE, "utf8")) as Formulas;
  return { inline: renderAll(source.inline, false), display: renderAll(source.display, true) };
}

/** The signs that the formulae draw with a font for mathematics: operators, brackets, roots. */
export function operators({ inline, display }: Formulas): string {
  const markup = [...Object.values(inline), ...Object.values(display)].join("");
  const found = Array.from(markup.matchAll(/<mo[^>]*>([^<]*)<\/mo>/g), (match) => match[1] ?? "");
  return [...new Set(`√${found.join("")}`)].join("");
}
