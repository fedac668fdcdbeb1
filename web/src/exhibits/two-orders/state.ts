// What the reader can set about the two orders, and how it is written into the address.
import type { Codec } from "../../lib/codec";
import { number, writeNumber } from "../../lib/entries";
import { readEdited, writeEdited, type Edited } from "../../lib/query-key-value";

export const LIMITS = {
  n: { least: 1, most: 16384 },
  d: { least: 1, most: 128 },
  dv: { least: 1, most: 128 },
} as const;

export interface Sizes {
  /** Tokens. */
  readonly n: number;
  /** Features of a query and a key, and those of a value. */
  readonly d: number;
  readonly dv: number;
}

export interface OrdersState extends Sizes {
  readonly edited: Edited;
}

const ENTRIES = { query: "q", key: "k", value: "v" } as const;

const initial: OrdersState = { n: 1024, d: 64, dv: 64, edited: {} };

export const codec: Codec<OrdersState> = {
  initial,
  write: ({ n, d, dv, edited }) => ({
    n: writeNumber(n, initial.n),
    d: writeNumber(d, initial.d),
    dv: writeNumber(dv, initial.dv),
    ...writeEdited(edited, ENTRIES),
  }),
  read: (entry) => ({
    n: number(entry("n"), LIMITS.n, initial.n),
    d: number(entry("d"), LIMITS.d, initial.d),
    dv: number(entry("dv"), LIMITS.dv, initial.dv),
    edited: readEdited(entry, ENTRIES),
  }),
};
