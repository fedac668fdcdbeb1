// What the reader can set about the feature maps, and how it is written into the address.
import type { Codec } from "../../lib/codec";
import { number, oneOf, writeNumber } from "../../lib/entries";

export const MAPS = ["elu", "relu", "softmax", "favor", "fourier"] as const;
export type Map = (typeof MAPS)[number];
/** Those that draw random numbers. */
export const RANDOM = ["favor", "fourier"] as const;
export type RandomMap = (typeof RANDOM)[number];
export const isRandom = (map: Map): map is RandomMap => RANDOM.some((one) => one === map);

/** Queries and keys as in the worked example, or each of length 1. */
export const LENGTHS = ["given", "unit"] as const;
export type Lengths = (typeof LENGTHS)[number];

export const LIMITS = {
  power: { least: 1, most: 8 },
  seed: { least: 0, most: 99 },
} as const;

export interface MapsState {
  readonly map: Map;
  readonly lengths: Lengths;
  /** The number of random vectors, as a power of two. */
  readonly power: number;
  readonly seed: number;
}

const initial: MapsState = { map: "favor", lengths: "given", power: 6, seed: 0 };

export const codec: Codec<MapsState> = {
  initial,
  write: ({ map, lengths, power, seed }) => ({
    phi: map === initial.map ? null : map,
    lengths: lengths === initial.lengths ? null : lengths,
    power: writeNumber(power, initial.power),
    seed: writeNumber(seed, initial.seed),
  }),
  read: (entry) => ({
    map: oneOf(entry("phi"), MAPS, initial.map),
    lengths: oneOf(entry("lengths"), LENGTHS, initial.lengths),
    power: number(entry("power"), LIMITS.power, initial.power),
    seed: number(entry("seed"), LIMITS.seed, initial.seed),
  }),
};
