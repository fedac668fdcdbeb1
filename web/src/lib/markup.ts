import formulas from "../formulas.json";

export type Piece =
  | { readonly kind: "text" | "em" | "strong" | "code"; readonly text: string }
  | { readonly kind: "formula"; readonly markup: string }
  | { readonly kind: "foreign"; readonly lang: string; readonly text: string };

export type InlineFormula = keyof typeof formulas.inline;
export type DisplayFormula = keyof typeof formulas.display;

const MARK = /\$(\w+)\$|\*\*([^*]+)\*\*|\*([^*]+)\*|`([^`]+)`|<([a-zA-Z-]+)\|([^>]+)>/g;

function formula(name: string): Piece {
  const markup = (formulas.inline as Record<string, string>)[name];
  if (markup === undefined) throw new Error(`formulas.json has no inline formula "${name}"`);
  return { kind: "formula", markup };
}

/** What is read as one thing does not break over two lines: "3 × 4", "17 %". */
const together = (text: string): string =>
  text.replace(/(?<=\d) (?:([×·]) (?=\d)|(?=%))/g, (_gap, sign: string | undefined) =>
    sign === undefined ? "\u00a0" : `\u00a0${sign}\u00a0`,
  );

/** Takes the markup of a message apart; see Text.svelte. */
export function pieces(text: string): Piece[] {
  const result: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(MARK)) {
    if (match.index > end) result.push({ kind: "text", text: together(text.slice(end, match.index)) });
    end = match.index + match[0].length;
    const [, name, strong, em, code, lang, foreign] = match;
    if (name !== undefined) result.push(formula(name));
    else if (strong !== undefined) result.push({ kind: "strong", text: strong });
    else if (em !== undefined) result.push({ kind: "em", text: em });
    else if (code !== undefined) result.push({ kind: "code", text: code });
    else result.push({ kind: "foreign", lang: lang!, text: foreign! });
  }
  if (end < text.length) result.push({ kind: "text", text: together(text.slice(end)) });
  return result;
}
