// What the reader can set about the published masks, and how it is written into the address.
import type { Codec } from "../../lib/codec";
import { number, oneOf, writeNumber, type Limits } from "../../lib/entries";
import { MOST_SEED } from "../../lib/masks";

export const PRESETS = ["strided", "fixed", "longformer", "bigbird"] as const;
export type Preset = (typeof PRESETS)[number];

export const LIMITS = {
  tokens: { least: 16, most: 64 },
  every: { least: 2, most: 16 },
  summary: { least: 1, most: 16 },
  window: { least: 1, most: 16 },
  globals: { least: 0, most: 4 },
  block: { least: 1, most: 8 },
  drawn: { least: 0, most: 3 },
  draw: { least: 0, most: MOST_SEED },
  long: { least: 512, most: 8192, step: 512 },
} as const satisfies Record<string, Limits>;

export type Parameter = keyof typeof LIMITS;
export type PresetState = Readonly<Record<Parameter, number>> & { readonly preset: Preset };

/** The sliders of each preset, beside the number of tokens. */
export const PARAMETERS: Record<Preset, readonly Parameter[]> = {
  strided: ["every"],
  fixed: ["every", "summary"],
  longformer: ["window", "globals"],
  bigbird: ["block", "drawn", "draw"],
};

const initial: PresetState = {
  preset: "bigbird",
  tokens: 32,
  every: 6,
  summary: 1,
  window: 3,
  globals: 1,
  block: 2,
  drawn: 2,
  draw: 1,
  long: 4096,
};

const NAMES = Object.keys(LIMITS) as Parameter[];

/**
 * How far a parameter goes where it depends on the others: a summary is part of its block, and of
 * the blocks of Big Bird there are only so many beside the global ones and the neighbours.
 */
export function mostOf(name: Parameter, state: PresetState): number {
  const { most } = LIMITS[name];
  if (name === "summary") return Math.min(most, state.every);
  if (name !== "drawn") return most;
  const blocks = Math.ceil(state.tokens / state.block);
  return Math.min(most, Math.max(0, blocks - 5));
}

/** The value that counts: what is beyond the end of a slider is its end. */
export const valueOf = (name: Parameter, state: PresetState): number =>
  Math.min(state[name], mostOf(name, state));

export const codec: Codec<PresetState> = {
  initial,
  write: (state) => ({
    preset: state.preset === initial.preset ? null : state.preset,
    ...Object.fromEntries(NAMES.map((name) => [name, writeNumber(state[name], initial[name])])),
  }),
  read: (entry) => {
    const numbers = NAMES.map((name) => [
      name,
      number(entry(name), LIMITS[name], initial[name]),
    ]);
    return {
      ...(Object.fromEntries(numbers) as Record<Parameter, number>),
      preset: oneOf(entry("preset"), PRESETS, initial.preset),
    };
  },
};
