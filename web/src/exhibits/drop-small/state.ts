// What the reader can set about dropping weights, and how it is written into the address.
import type { Codec } from "../../lib/codec";
import { number, oneOf, readMatrix, writeMatrix, writeNumber } from "../../lib/entries";
import { sameNumbers, type Matrix } from "../../lib/matrix";
import { NOTES } from "../worked-example/presets";

export const NUMBERS = ["worked", "longer"] as const;
/** Which weights stay: the k largest of each query, or those that are large enough. */
export const RULES = ["top", "threshold"] as const;
/** What happens to the others. */
export const RESTS = ["mask", "zero"] as const;
export type Rest = (typeof RESTS)[number];

export const LIMITS = {
  k: { least: 1, most: 32 },
  least: { least: 0, most: 1, step: 0.01 },
  n: { least: 4, most: 32 },
  sharp: { least: 0.5, most: 6, step: 0.5 },
  shift: { least: -4, most: 4, step: 0.5 },
  seed: { least: 1, most: 9999 },
} as const;
export type Setting = keyof typeof LIMITS;

export interface DropState {
  readonly numbers: (typeof NUMBERS)[number];
  /** The three tokens of the worked example. */
  readonly x: Matrix;
  readonly rule: (typeof RULES)[number];
  readonly rest: Rest;
  readonly k: number;
  readonly least: number;
  /**
   * Of the longer example: tokens, what its scores are multiplied by, what is added to every
   * value, and the seed of its random numbers.
   */
  readonly n: number;
  readonly sharp: number;
  readonly shift: number;
  readonly seed: number;
}

const initial: DropState = {
  numbers: "worked",
  x: NOTES.x,
  rule: "top",
  rest: "mask",
  k: 1,
  least: 0.1,
  n: 24,
  sharp: 2,
  shift: 2,
  seed: 1,
};

const SETTINGS = Object.keys(LIMITS) as Setting[];

/** How many tokens there are. */
export const length = (state: DropState): number =>
  state.numbers === "worked" ? state.x.rows : state.n;

const writeChoice = <T extends string>(value: T, first: T) => (value === first ? null : value);

export const codec: Codec<DropState> = {
  initial,
  write(state) {
    const entries: Record<string, string | null> = {
      numbers: writeChoice(state.numbers, initial.numbers),
      x: sameNumbers(state.x, initial.x) ? null : writeMatrix(state.x),
      rule: writeChoice(state.rule, initial.rule),
      rest: writeChoice(state.rest, initial.rest),
    };
    for (const name of SETTINGS) entries[name] = writeNumber(state[name], initial[name]);
    return entries;
  },
  read(entry) {
    const x = entry("x");
    const setting = (name: Setting) => number(entry(name), LIMITS[name], initial[name]);
    return {
      numbers: oneOf(entry("numbers"), NUMBERS, initial.numbers),
      x: x === null ? initial.x : readMatrix(x, initial.x),
      rule: oneOf(entry("rule"), RULES, initial.rule),
      rest: oneOf(entry("rest"), RESTS, initial.rest),
      k: setting("k"),
      least: setting("least"),
      n: setting("n"),
      sharp: setting("sharp"),
      shift: setting("shift"),
      seed: setting("seed"),
    };
  },
};
