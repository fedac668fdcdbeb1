// Which family is drawn beside exact attention, and how that is written into the address.
import type { Codec } from "../../lib/codec";
import { oneOf } from "../../lib/entries";

export const FAMILIES = [
  "pattern",
  "content",
  "fewer keys",
  "reordered",
  "query-free",
  "mixer",
  "picking",
  "baseline",
] as const;

export interface YourArenaState {
  readonly family: (typeof FAMILIES)[number];
}

const initial: YourArenaState = { family: "reordered" };

export const codec: Codec<YourArenaState> = {
  initial,
  write: ({ family }) => ({ family: family === initial.family ? null : family }),
  read: (entry) => ({ family: oneOf(entry("family"), FAMILIES, initial.family) }),
};
