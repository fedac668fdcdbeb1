// What the reader can set about the templates and the state, and how it is written into the address.
import type { Codec } from "../../lib/codec";
import { flag, number, oneOf, writeFlag, writeNumber } from "../../lib/entries";
import { TOKENS } from "../../lib/query-key-value";

export const MAPS = ["elu", "relu", "favor"] as const;
export type Map = (typeof MAPS)[number];

export interface TemplatesState {
  /** The query that looks for templates, from 0. */
  readonly query: number;
  readonly map: Map;
  /** Whether every token draws its own random vectors, which is wrong. */
  readonly anew: boolean;
  /** The token that arrives, from 0. */
  readonly token: number;
}

const LIMITS = { least: 0, most: TOKENS - 1 } as const;

const initial: TemplatesState = { query: 0, map: "elu", anew: false, token: 0 };

export const codec: Codec<TemplatesState> = {
  initial,
  write: ({ query, map, anew, token }) => ({
    asks: writeNumber(query, initial.query),
    rnn: map === initial.map ? null : map,
    anew: writeFlag(anew, initial.anew),
    token: writeNumber(token, initial.token),
  }),
  read: (entry) => ({
    query: number(entry("asks"), LIMITS, initial.query),
    map: oneOf(entry("rnn"), MAPS, initial.map),
    anew: flag(entry("anew"), initial.anew),
    token: number(entry("token"), LIMITS, initial.token),
  }),
};
