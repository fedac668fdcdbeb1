// What the reader can set about the reach of masks, and how it is written into the address.
import type { Codec } from "../../lib/codec";
import { number, oneOf, writeNumber, type Limits } from "../../lib/entries";
import { MOST_SEED, SIZES } from "../../lib/masks";

/** Masks by what they are put together of. */
export const MASKS = [
  "full",
  "causal",
  "local",
  "stride",
  "localStride",
  "global",
  "longformer",
  "localRandom",
] as const;
export type ReachMask = (typeof MASKS)[number];

export const LIMITS = {
  length: { least: 8, most: 48 },
  from: { least: 1, most: 48 },
  to: { least: 1, most: 48 },
  r: { least: 1, most: SIZES.local.most },
  s: SIZES.stride,
  g: SIZES.global,
  k: SIZES.random,
  luck: { least: 0, most: MOST_SEED },
} as const satisfies Record<string, Limits>;

export type Parameter = keyof typeof LIMITS;
export type ReachState = Readonly<Record<Parameter, number>> & { readonly over: ReachMask };

/** The sliders that belong to a mask. */
export const PARAMETERS: Record<ReachMask, readonly Parameter[]> = {
  full: [],
  causal: [],
  local: ["r"],
  stride: ["s"],
  localStride: ["r", "s"],
  global: ["g"],
  longformer: ["r", "g"],
  localRandom: ["r", "k", "luck"],
};

// The last token is beyond the end of every length, and so is always the last there is.
const initial: ReachState = {
  over: "local",
  length: 16,
  from: 1,
  to: LIMITS.to.most,
  r: 1,
  s: 2,
  g: 2,
  k: 1,
  luck: 1,
};

const NAMES = Object.keys(LIMITS) as Parameter[];

/** A token counted from 1; one that is beyond the end is the last. */
export const tokenOf = (name: "from" | "to", state: ReachState): number =>
  Math.min(state[name], state.length);

export const codec: Codec<ReachState> = {
  initial,
  write: (state) => ({
    over: state.over === initial.over ? null : state.over,
    ...Object.fromEntries(NAMES.map((name) => [name, writeNumber(state[name], initial[name])])),
  }),
  read: (entry) => {
    const numbers = NAMES.map((name) => [
      name,
      number(entry(name), LIMITS[name], initial[name]),
    ]);
    return {
      ...(Object.fromEntries(numbers) as Record<Parameter, number>),
      over: oneOf(entry("over"), MASKS, initial.over),
    };
  },
};
