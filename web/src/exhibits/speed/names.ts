// How the calls, the contenders and the ratios of a report are called on the page.
import { showMeasured } from "../../lib/numbers";
import type { Messages } from "../../messages/en";
import { named, type NamedRatio, type Unit } from "./ratio-kinds";
import type { Limit, Ratio } from "./report";
import { shapeNamed } from "./shapes";

type Texts = Messages["speed"];

/** A call by a name that tells what it is for. */
export function shapeName(t: Texts, shape: string): string {
  const known = (t.shapes as Readonly<Record<string, string>>)[shape];
  if (known !== undefined) return known;
  const arrays = /^(.+)-arrays$/.exec(shape);
  if (arrays) return t.fromArrays(shapeName(t, arrays[1]!));
  const long = /^(full|window|blocks)-(\d+)$/.exec(shape);
  if (!long) return shape;
  const length = Number(long[2]).toLocaleString("en");
  return t.longShapes[long[1] as keyof Texts["longShapes"]](length);
}

/** Its sizes; null for what is not one of the benchmark's attention calls. */
export function shapeSizes(t: Texts, name: string): string | null {
  const shape = shapeNamed(name);
  if (!shape) return null;
  const count = (value: number | undefined) => (value ?? 1).toLocaleString("en");
  const [queries, width] = shape.query.slice(-2);
  const [batch, heads] = shape.query.length === 4 ? shape.query : [1, 1];
  const keys = shape.key.at(-2);
  return t.sizes(count(batch), count(heads), count(queries), count(keys), count(width));
}

/** Without the words that say where it runs: a heading does. */
export function contenderName(contender: string): string {
  return contender
    .replace(/, Chromium$/, "")
    .replace(/^qkv native$/, "qkv")
    .replace(/^qkv wasm /, "qkv ")
    .replace(/^tfjs wasm$/, "tfjs");
}

export const threadsOf = (t: Texts, threads: number): string =>
  threads === 1 ? t.oneThread : t.threads(showMeasured(threads));

export const timeOf = (t: Texts, ms: number): string =>
  ms < 1 ? t.microseconds(showMeasured(1000 * ms)) : t.milliseconds(showMeasured(ms));

export function limitText(t: Texts, { kind, rate, ms }: Limit): string {
  return t.limits[kind](showMeasured(rate), timeOf(t, ms));
}

/** "wasm relaxed" and "native, 2 threads". */
function sideName(t: Texts, side: string): string {
  const [, name, threads] = /^(.*?)(?:, (\d+) threads)?$/.exec(side)!;
  const plain = name === "native" ? "qkv" : name!.replace(/^wasm /, "qkv ");
  return threads ? `${plain} (${threadsOf(t, Number(threads))})` : plain;
}

/** What a ratio compares, in a sentence; null for one that the page has no words for. */
export function ratioText(t: Texts, ratio: Ratio): string | null {
  const parts = named(ratio);
  return parts && sentence(t, parts);
}

function sentence(t: Texts, { kind, side, other, shape, count, length }: NamedRatio): string {
  const who = sideName(t, side);
  const call = shapeName(t, shape);
  const tokens = Number(length).toLocaleString("en");
  switch (kind) {
    case "speed":
      return t.ratios.speed(who, other, call);
    case "peak":
    case "reading":
    case "call":
    case "firstCall":
      return t.ratios[kind](who, call);
    case "threads":
      return t.ratios.threads(who, call, count);
    case "causal":
    case "bias":
    case "load":
      return t.ratios[kind](who);
    case "window":
      return t.ratios.window(who, count);
    case "longWindow":
      return t.ratios.longWindow(who, count, tokens);
    case "memory":
      return t.ratios.memory(who, tokens);
    case "frames":
      return t.ratios.frames(tokens);
    case "transfer":
    case "longestFrame":
      return t.ratios[kind];
  }
}

function withUnit(t: Texts, ratio: Ratio, value: number, digits?: number): string {
  const unit: Unit | undefined = named(ratio)?.unit;
  switch (unit) {
    case "percent":
      return t.percent(showMeasured(100 * value, digits));
    case "microseconds":
    case "milliseconds":
    case "mebibytes":
    case "times":
      return t[unit](showMeasured(value, digits));
    default:
      return showMeasured(value, digits);
  }
}

const MOST_DIGITS = 6;

/** With as many digits as it takes to tell it from its aim. */
export function ratioValue(t: Texts, ratio: Ratio): string {
  const { value, reach, dream } = ratio;
  for (let digits = 3; digits < MOST_DIGITS; digits += 1) {
    const text = withUnit(t, ratio, value, digits);
    const looksAlike = [reach, dream].some(
      (aim) => aim !== null && aim !== value && withUnit(t, ratio, aim, digits) === text,
    );
    if (!looksAlike) return text;
  }
  return withUnit(t, ratio, value, MOST_DIGITS);
}

export function aimText(t: Texts, ratio: Ratio): string {
  const { reach, dream, higherIsBetter } = ratio;
  const aim = reach ?? dream;
  if (aim === null) return t.noAim;
  const value = withUnit(t, ratio, aim);
  return higherIsBetter ? t.atLeast(value) : t.atMost(value);
}
