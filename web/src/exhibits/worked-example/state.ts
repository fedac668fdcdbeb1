// What the reader can set in the worked example, and how it is written into the address.
import { BadEntry, type Codec } from "../../lib/codec";
import { flag, oneOf, readMatrix, writeMatrix } from "../../lib/entries";
import { sameNumbers, type Matrix } from "../../lib/matrix";
import { fixedInputs, PRESETS, WORD_SEED, type Inputs, type Preset } from "./presets";

export const STEPS = [
  "key",
  "query",
  "value",
  "score",
  "scale",
  "softmax",
  "weigh",
  "sum",
] as const;
export type Step = (typeof STEPS)[number];

export type InputName = keyof Inputs;

export interface WorkedState {
  readonly preset: Preset;
  readonly seed: number;
  /** Matrices the reader has changed; the others are the preset's. */
  readonly edited: Partial<Inputs>;
  readonly scaled: boolean;
  readonly printed: boolean;
  readonly step: Step;
}

export const MOST_SEED = 9999;

/** The source divides for its words, but not in its code. */
export const scaledByDefault = (preset: Preset): boolean => preset === "words";

/** The source's printed table belongs to its own numbers only. */
export const printable = ({ preset, edited, scaled }: WorkedState): boolean =>
  preset === "notes" && Object.keys(edited).length === 0 && !scaled;

const INPUT_ENTRIES: Record<InputName, string> = {
  x: "x",
  wKey: "wk",
  wQuery: "wq",
  wValue: "wv",
};
const INPUT_NAMES = Object.keys(INPUT_ENTRIES) as InputName[];

const initial: WorkedState = {
  preset: "notes",
  seed: WORD_SEED,
  edited: {},
  scaled: false,
  printed: false,
  step: "key",
};

/** With one matrix replaced; back at the preset's numbers it no longer counts as changed. */
export function withInput(state: WorkedState, name: InputName, value: Matrix): WorkedState {
  const edited = { ...state.edited, [name]: value };
  const own = fixedInputs(state.preset)?.[name];
  if (own && sameNumbers(own, value)) delete edited[name];
  const next = { ...state, edited };
  return { ...next, printed: next.printed && printable(next) };
}

export const codec: Codec<WorkedState> = {
  initial,
  write(state) {
    const entries: Record<string, string | null> = {
      numbers: state.preset === initial.preset ? null : state.preset,
      seed: state.preset === "words" && state.seed !== WORD_SEED ? String(state.seed) : null,
      divide: state.scaled === scaledByDefault(state.preset) ? null : state.scaled ? "1" : "0",
      printed: state.printed ? "1" : null,
      step: state.step === initial.step ? null : state.step,
    };
    for (const name of INPUT_NAMES) {
      const value = state.edited[name];
      entries[INPUT_ENTRIES[name]] = value ? writeMatrix(value) : null;
    }
    return entries;
  },
  read(entry) {
    const preset = oneOf(entry("numbers"), PRESETS, initial.preset);
    const seedText = entry("seed") ?? String(WORD_SEED);
    if (!/^\d{1,4}$/.test(seedText)) throw new BadEntry();
    let state: WorkedState = {
      preset,
      seed: Number(seedText),
      edited: {},
      scaled: flag(entry("divide"), scaledByDefault(preset)),
      printed: false,
      step: oneOf(entry("step"), STEPS, initial.step),
    };
    const fixed = fixedInputs(preset);
    for (const name of INPUT_NAMES) {
      const text = entry(INPUT_ENTRIES[name]);
      if (text === null) continue;
      if (!fixed) throw new BadEntry();
      state = withInput(state, name, readMatrix(text, fixed[name]));
    }
    return { ...state, printed: flag(entry("printed"), false) && printable(state) };
  },
};
