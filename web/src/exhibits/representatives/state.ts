// What the reader can set about the representatives, and how it is written into the address.
import type { Codec } from "../../lib/codec";
import { number, oneOf, writeNumber } from "../../lib/entries";

export const LENGTH = 64;
export const FEATURES = 16;
export const PERIOD = 8;
export const KEYS = { least: 1, most: LENGTH } as const;
/** What the tokens are like. */
export const SEQUENCES = ["smooth", "repeating", "random"] as const;
export type Sequence = (typeof SEQUENCES)[number];
/** How few keys come from many: two ways to pick some, two to mix all. */
export const WAYS = ["every", "unlike", "mean", "random"] as const;
export type Way = (typeof WAYS)[number];

export interface RepresentativesState {
  readonly sequence: Sequence;
  readonly way: Way;
  readonly keys: number;
}

const initial: RepresentativesState = { sequence: "smooth", way: "mean", keys: 16 };

export const codec: Codec<RepresentativesState> = {
  initial,
  write: ({ sequence, way, keys }) => ({
    tokens: sequence === initial.sequence ? null : sequence,
    by: way === initial.way ? null : way,
    keys: writeNumber(keys, initial.keys),
  }),
  read: (entry) => ({
    sequence: oneOf(entry("tokens"), SEQUENCES, initial.sequence),
    way: oneOf(entry("by"), WAYS, initial.way),
    keys: number(entry("keys"), KEYS, initial.keys),
  }),
};
