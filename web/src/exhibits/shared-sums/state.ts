// What the reader can set about the shared sums, and how it is written into the address.
import type { Codec } from "../../lib/codec";
import { number, oneOf, writeNumber } from "../../lib/entries";
import { readEdited, TOKENS, writeEdited, type Edited } from "../../lib/query-key-value";

export const MAPS = ["elu", "relu"] as const;
export type Map = (typeof MAPS)[number];

export interface SumsState {
  readonly map: Map;
  /** The query whose output is being made, from 0. */
  readonly query: number;
  readonly edited: Edited;
}

const ENTRIES = { query: "sq", key: "sk", value: "sv" } as const;
const LIMITS = { least: 0, most: TOKENS - 1 } as const;

const initial: SumsState = { map: "elu", query: 0, edited: {} };

export const codec: Codec<SumsState> = {
  initial,
  write: ({ map, query, edited }) => ({
    map: map === initial.map ? null : map,
    b: writeNumber(query, initial.query),
    ...writeEdited(edited, ENTRIES),
  }),
  read: (entry) => ({
    map: oneOf(entry("map"), MAPS, initial.map),
    query: number(entry("b"), LIMITS, initial.query),
    edited: readEdited(entry, ENTRIES),
  }),
};
