// What the reader can set about mixing, and how it is written into the address.
import type { Codec } from "../../lib/codec";
import { number, writeNumber } from "../../lib/entries";

export const LENGTH = 12;
export const FEATURES = 8;
export const TOKEN = { least: 1, most: LENGTH } as const;
export const AMOUNT = { least: 0.5, most: 8, step: 0.5 } as const;
export const SEED = { least: 1, most: 20 } as const;

export interface MixingState {
  /** The changed token whose row is read out, counted from 1. */
  readonly token: number;
  /** How much is added to its second feature. */
  readonly amount: number;
  /** Of tokens and parameters. */
  readonly seed: number;
}

const initial: MixingState = { token: 4, amount: 1, seed: 1 };

export const codec: Codec<MixingState> = {
  initial,
  write: ({ token, amount, seed }) => ({
    changed: writeNumber(token, initial.token),
    by: writeNumber(amount, initial.amount),
    draw: writeNumber(seed, initial.seed),
  }),
  read: (entry) => ({
    token: number(entry("changed"), TOKEN, initial.token),
    amount: number(entry("by"), AMOUNT, initial.amount),
    seed: number(entry("draw"), SEED, initial.seed),
  }),
};
