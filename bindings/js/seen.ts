// Words for values that cannot be sent to the core, which puts them into its error sentences.

const LONGEST_QUOTE = 40;

/** Stands in an argument for a value that the core must refuse, and says what it was. */
export class Unusable {
  constructor(readonly what: string) {}
}

/** What `value` is, as a noun: `a string "abc"`, `a bigint`, `an array`, `a Map`. */
export function seen(value: unknown): string {
  switch (typeof value) {
    case "string":
      return `a string ${JSON.stringify(shorten(value))}`;
    case "number":
      return `the number ${value}`;
    case "boolean":
      return `the boolean ${value}`;
    case "undefined":
      return "undefined";
    case "object":
      return value === null ? "null" : withArticle(nameOfClass(value));
    default:
      return `a ${typeof value}`;
  }
}

/** Where an element is: `[0][2]`. */
export function place(indices: readonly number[]): string {
  return indices.map((index) => `[${index}]`).join("");
}

function shorten(text: string): string {
  return text.length <= LONGEST_QUOTE ? text : `${text.slice(0, LONGEST_QUOTE)}...`;
}

function nameOfClass(value: object): string {
  if (Array.isArray(value)) return "array";
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return "object";
  const name: unknown = (value as { constructor?: { name?: unknown } }).constructor?.name;
  return typeof name === "string" && name !== "" ? name : "object";
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/i.test(noun) ? "an" : "a"} ${noun}`;
}
