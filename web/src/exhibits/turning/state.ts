// What the reader can set about the rotation, and how it is written into the address.
import { numbers } from "../../lib/entries";

export const DIM = 32;
export const LENGTH = 60;

export const LIMITS = {
  from: { least: 0, most: LENGTH - 1 },
  delta: { least: -30, most: 30 },
  pair: { least: 0, most: DIM / 2 - 1 },
} as const;

export interface TurnState {
  /** The position the step starts from. */
  readonly from: number;
  readonly delta: number;
  readonly pair: number;
}

const initial: TurnState = { from: 4, delta: 5, pair: 3 };

// Not "from", which the first figure of the chapter uses.
export const codec = numbers(initial, LIMITS, { from: "start", delta: "step" });
