// What the reader can set about mixing, and how it is written into the address.
import { numbers } from "../../lib/entries";

export const LENGTH = 12;
export const FEATURES = 8;
export const LIMITS = {
  token: { least: 1, most: LENGTH },
  amount: { least: 0.5, most: 8, step: 0.5 },
  seed: { least: 1, most: 20 },
} as const;

export interface MixingState {
  /** The changed token whose row is read out, counted from 1. */
  readonly token: number;
  /** How much is added to its second feature. */
  readonly amount: number;
  /** Of tokens and parameters. */
  readonly seed: number;
}

const initial: MixingState = { token: 4, amount: 1, seed: 1 };

export const codec = numbers(initial, LIMITS, { token: "changed", amount: "by", seed: "draw" });
