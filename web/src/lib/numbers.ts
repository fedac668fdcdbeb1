// Numbers between the page and its reader: how they are written, and what may be typed.

const MINUS = "−"; // the real minus sign, as wide as the digits

const formats = new Map<string, Intl.NumberFormat>();

function plain(value: number, minimum: number, maximum: number): string {
  const key = `${minimum}/${maximum}`;
  let format = formats.get(key);
  if (!format) {
    // The three languages write digits, point and grouping alike.
    format = new Intl.NumberFormat("en", {
      minimumFractionDigits: minimum,
      maximumFractionDigits: maximum,
    });
    formats.set(key, format);
  }
  return format.format(value).replace("-", MINUS);
}

function scientific(value: number, digits: number): string {
  return value.toExponential(digits).replace("e+", "e").replaceAll("-", MINUS);
}

/**
 * A number in a figure: whole numbers as they are, others with a fixed count of decimals, and in
 * powers of ten where those would show nothing but zeros.
 */
export function show(value: number, decimals = 4): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : `${MINUS}∞`;
  const magnitude = Math.abs(value);
  if (Number.isInteger(value) && magnitude < 1e7) return plain(value === 0 ? 0 : value, 0, 0);
  if (magnitude < 0.5 * 10 ** -decimals || magnitude >= 1e7) return scientific(value, 2);
  return plain(value, decimals, decimals);
}

/** For small pictures: two decimals at most, and what is smaller than they can tell is 0.00. */
export function showShort(value: number): string {
  return Math.abs(value) < 0.005 && value !== 0 ? plain(0, 2, 2) : show(value, 2);
}

/** A measured number: as many digits as a measurement deserves. */
export function showMeasured(value: number, digits = 3): string {
  const format =
    Math.abs(value) >= 10 ** digits
      ? { maximumFractionDigits: 0 }
      : { maximumSignificantDigits: digits };
  return value.toLocaleString("en", format).replace("-", MINUS);
}

/** A number the reader has typed, with no more digits than it needs. */
export function showInput(value: number): string {
  return String(Number(value.toPrecision(7))).replaceAll("-", MINUS);
}

// Nine digits tell any two 32-bit floats apart; counts are whole, however long they are.
const exactly = (value: number): string =>
  String(Number.isSafeInteger(value) ? value : Number(value.toPrecision(9)));

/** Every digit that a 32-bit float holds. */
export function showExact(value: number): string {
  if (!Number.isFinite(value)) return show(value);
  return exactly(value)
    .replace("e+", "e")
    .replaceAll("-", MINUS);
}

/** For files: every digit, and only signs that other programs read. */
export function forFile(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "Infinity" : "-Infinity";
  return exactly(value);
}

export const CELL_LIMIT = 1000;

export type Typed =
  { readonly value: number } | { readonly problem: "not-a-number" | "out-of-range" };

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i;

/** Reads what was typed into a cell. Full-width digits of Chinese keyboards are welcome. */
export function readTyped(text: string, limit = CELL_LIMIT): Typed {
  const normal = text.normalize("NFKC").trim().replaceAll(MINUS, "-").replaceAll("–", "-");
  if (!NUMBER.test(normal)) return { problem: "not-a-number" };
  const value = Number(normal);
  if (Math.abs(value) > limit) return { problem: "out-of-range" };
  return { value: value === 0 ? 0 : value };
}
