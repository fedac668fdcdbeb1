// What the reader can set about the groups, and how it is written into the address.
import type { Codec } from "../../lib/codec";
import { number, oneOf, writeNumber } from "../../lib/entries";

/** How pairs are found without comparing every query with every key. */
export const WAYS = ["kMeans", "hash", "reformer", "routing"] as const;
export type Way = (typeof WAYS)[number];

export const ORDERS = ["text", "group"] as const;

export const LIMITS = {
  tokens: { least: 8, most: 40, step: 8 },
  strong: { least: 0.5, most: 4, step: 0.5 },
  rounds: { least: 1, most: 4 },
  points: { least: 1, most: 9999 },
  draw: { least: 1, most: 9999 },
} as const;
export type Setting = keyof typeof LIMITS;

export interface ClusterState extends Readonly<Record<Setting, number>> {
  readonly way: Way;
  readonly order: (typeof ORDERS)[number];
}

const initial: ClusterState = {
  way: "kMeans",
  order: "text",
  tokens: 24,
  /** What the queries are multiplied by. */
  strong: 2,
  /** How often the Reformer hashes. */
  rounds: 1,
  /** Seeds of the points, and of the groups. */
  points: 1,
  draw: 1,
};

const SETTINGS = Object.keys(LIMITS) as Setting[];

export const codec: Codec<ClusterState> = {
  initial,
  write(state) {
    const entries: Record<string, string | null> = {
      way: state.way === initial.way ? null : state.way,
      order: state.order === initial.order ? null : state.order,
    };
    for (const name of SETTINGS) entries[name] = writeNumber(state[name], initial[name]);
    return entries;
  },
  read(entry) {
    const setting = (name: Setting) => number(entry(name), LIMITS[name], initial[name]);
    return {
      way: oneOf(entry("way"), WAYS, initial.way),
      order: oneOf(entry("order"), ORDERS, initial.order),
      tokens: setting("tokens"),
      strong: setting("strong"),
      rounds: setting("rounds"),
      points: setting("points"),
      draw: setting("draw"),
    };
  },
};
