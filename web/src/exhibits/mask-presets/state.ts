// What the reader can set about the published masks, and how it is written into the address.
import type { Codec } from "../../lib/codec";
import { numbers, oneOf, type Limits } from "../../lib/entries";
import { MOST_SEED } from "../../lib/masks";

export const PRESETS = ["strided", "fixed", "longformer", "bigbird"] as const;
export type Preset = (typeof PRESETS)[number];

export const LIMITS = {
  tokens: { least: 16, most: 64 },
  every: { least: 2, most: 16 },
  summary: { least: 1, most: 16 },
  window: { least: 1, most: 16 },
  dilation: { least: 1, most: 4 },
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
  longformer: ["window", "dilation", "globals"],
  bigbird: ["block", "drawn", "draw"],
};

const initial: Preset = "bigbird";

const parameters = numbers<Readonly<Record<Parameter, number>>>(
  {
    tokens: 32,
    every: 6,
    summary: 1,
    window: 3,
    dilation: 1,
    globals: 1,
    block: 2,
    drawn: 2,
    draw: 1,
    long: 4096,
  },
  LIMITS,
);

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
  initial: { ...parameters.initial, preset: initial },
  write: (state) => ({
    ...parameters.write(state),
    preset: state.preset === initial ? null : state.preset,
  }),
  read: (entry) => ({
    ...parameters.read(entry),
    preset: oneOf(entry("preset"), PRESETS, initial),
  }),
};
