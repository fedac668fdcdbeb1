// What the reader can set: the input, one of the four kinds of attention, and its parameters.
import type { Codec } from "../../lib/codec";
import { FIRST, readDigit, writeDigit, type Written } from "../../lib/digits";
import { number, oneOf, writeNumber, type Limits } from "../../lib/entries";
import { isImage, SOURCES, widthOf, type Source } from "./data";

export const KINDS = ["item-soft", "location-soft", "item-hard", "location-hard"] as const;
export type Kind = (typeof KINDS)[number];

export const PICKS = ["hard", "sample"] as const;
export type Pick = (typeof PICKS)[number];

export const LIMITS = {
  beta: { least: 0.05, most: 2, step: 0.05 },
  column: { least: 0, most: 23, step: 0.25 },
  row: { least: 0, most: 7, step: 0.25 },
  sigma: { least: 0.5, most: 6, step: 0.25 },
  width: { least: 1, most: 7, step: 2 },
  draw: { least: 1, most: 999, step: 1 },
} as const satisfies Record<string, Limits>;

export type Parameter = keyof typeof LIMITS;

export type SoftHardState = Readonly<Record<Parameter, number>> & Written & {
  readonly source: Source;
  readonly kind: Kind;
  /** Which item hard attention takes: the best, or one drawn by weight. */
  readonly pick: Pick;
};

const initial: SoftHardState = {
  source: "signal",
  kind: "item-soft",
  pick: "hard",
  beta: 0.5,
  column: 10,
  row: 4,
  sigma: 2,
  width: 3,
  draw: 1,
  ...FIRST,
};

/** Where one looks at first: at the highest bump, or near the middle. */
const COLUMN: Record<Source, number> = { signal: initial.column, digit: 4, written: 4 };

const PARAMETERS = Object.keys(LIMITS) as Parameter[];

/** How far a parameter goes on this input. */
export function limitsOf(name: Parameter, source: Source): Required<Limits> {
  const limits = LIMITS[name];
  return name === "column" ? { ...limits, most: widthOf(source) - 1 } : limits;
}

/** The parameters that a kind of attention has on an input, in the order of their sliders. */
export function parametersOf({ kind, source, pick }: SoftHardState): Parameter[] {
  const where: Parameter[] = isImage(source) ? ["row", "column"] : ["column"];
  switch (kind) {
    case "item-soft":
      return ["beta"];
    case "item-hard":
      return pick === "sample" ? ["beta", "draw"] : ["beta"];
    case "location-soft":
      return [...where, "sigma"];
    case "location-hard":
      return [...where, "width"];
  }
}

/** Those that training would have to find: not the size of a crop, nor the seed of a draw. */
export const trainedOf = (state: SoftHardState): Parameter[] =>
  parametersOf(state).filter((name) => name !== "width" && name !== "draw");

export const withSource = (source: Source) => ({ source, column: COLUMN[source] });

const startOf = (name: Parameter, source: Source): number =>
  name === "column" ? COLUMN[source] : initial[name];

export const codec: Codec<SoftHardState> = {
  initial,
  write(state) {
    const entries: Record<string, string | null> = {
      input: state.source === initial.source ? null : state.source,
      way: state.kind === initial.kind ? null : state.kind,
      pick: state.pick === initial.pick ? null : state.pick,
      ...writeDigit(state),
    };
    for (const name of PARAMETERS) entries[name] = writeNumber(state[name], startOf(name, state.source));
    return entries;
  },
  read(entry) {
    const source = oneOf(entry("input"), SOURCES, initial.source);
    const read = (name: Parameter) =>
      number(entry(name), limitsOf(name, source), startOf(name, source));
    return {
      source,
      kind: oneOf(entry("way"), KINDS, initial.kind),
      pick: oneOf(entry("pick"), PICKS, initial.pick),
      beta: read("beta"),
      column: read("column"),
      row: read("row"),
      sigma: read("sigma"),
      width: read("width"),
      draw: read("draw"),
      ...readDigit(entry),
    };
  },
};
