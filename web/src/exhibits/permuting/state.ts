// What the reader can set about the order of tokens, and how it is written into the address.
import { BadEntry, type Codec } from "../../lib/codec";
import { flag, writeFlag } from "../../lib/entries";

export const TOKENS = 5;

export interface OrderState {
  /** Which token stands at each place. */
  readonly order: readonly number[];
  /** With the positions added to the tokens. */
  readonly positions: boolean;
}

const AS_WRITTEN = Array.from({ length: TOKENS }, (_, i) => i);
// The first and the last token have traded places.
const initial: OrderState = { order: [4, 1, 2, 3, 0], positions: false };

function readOrder(text: string): number[] {
  const order = text.split(",").map((part) => (/^[1-5]$/.test(part) ? Number(part) - 1 : -1));
  if ([...order].sort().join() !== AS_WRITTEN.join()) throw new BadEntry();
  return order;
}

/** The token at `place` trades with the next one. */
export function swapped(order: readonly number[], place: number): number[] {
  const next = [...order];
  [next[place], next[place + 1]] = [order[place + 1]!, order[place]!];
  return next;
}

export const codec: Codec<OrderState> = {
  initial,
  write: ({ order, positions }) => ({
    order:
      order.join() === initial.order.join() ? null : order.map((token) => token + 1).join(","),
    with: writeFlag(positions, initial.positions),
  }),
  read(entry) {
    const order = entry("order");
    return {
      order: order === null ? initial.order : readOrder(order),
      positions: flag(entry("with"), initial.positions),
    };
  },
};
