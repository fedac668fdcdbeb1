// What the reader can set about the two orders, and how it is written into the address.
import type { Codec } from "../../lib/codec";
import { numbers } from "../../lib/entries";
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

const sizes = numbers<Sizes>({ n: 1024, d: 64, dv: 64 }, LIMITS);

export const codec: Codec<OrdersState> = {
  initial: { ...sizes.initial, edited: {} },
  write: (state) => ({ ...sizes.write(state), ...writeEdited(state.edited, ENTRIES) }),
  read: (entry) => ({ ...sizes.read(entry), edited: readEdited(entry, ENTRIES) }),
};
