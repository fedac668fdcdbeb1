// Many draws of the random maps, for more and more features.
import { Calculator } from "../../lib/calculator";
import type { Core } from "../../lib/core.svelte";
import { approximated, errorOf, setting } from "./compute";
import { LENGTHS, RANDOM, type Lengths, type RandomMap } from "./state";

export const FEATURES = [4, 16, 64, 256, 1024, 4096] as const;
export const SEEDS = 30;

export interface Trial {
  readonly lengths: Lengths;
  readonly map: RandomMap;
  readonly features: number;
}

export interface Outcome extends Trial {
  /** Of the largest errors of all draws. */
  readonly median: number;
}

export const TRIALS: readonly Trial[] = FEATURES.flatMap((features) =>
  LENGTHS.flatMap((lengths) => RANDOM.map((map) => ({ lengths, map, features }))),
);

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
}

export function trial(core: Core, { lengths, map, features }: Trial): Outcome {
  const calculator = new Calculator(core);
  const given = setting(calculator, lengths);
  const errors = Array.from({ length: SEEDS }, (_, seed) =>
    errorOf(calculator, given, approximated(calculator, given, map, features, seed)),
  );
  return { lengths, map, features, median: median(errors) };
}
