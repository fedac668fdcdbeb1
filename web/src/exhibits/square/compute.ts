// What the square of the number of tokens costs: pairs from the core, and times of the three steps.
import type { Calculator } from "../../lib/calculator";
import type { Task } from "../measuring/wire";

export interface Square {
  readonly tokens: number;
  readonly pairs: number;
  /** Of one matrix of 32-bit numbers, one for each pair. */
  readonly bytes: number;
}

const BYTES = 4;

export function compute(calculator: Calculator, power: number): Square {
  const tokens = 2 ** power;
  // One query's row is counted by the core; every query has as many.
  const row = calculator.use((core) =>
    core.maskStats({ kind: "window" }, { queryLength: 1, keyLength: tokens }),
  );
  const pairs = tokens * row.pairs;
  return { tokens, pairs, bytes: BYTES * pairs };
}

export const SIZES = [64, 128, 256, 512, 1024, 2048, 4096] as const;
export const FEATURES = 64;
export const STEPS = ["scores", "softmax", "sum", "attention"] as const;
export type Step = (typeof STEPS)[number];

export const idOf = (step: Step, n: number): string => `${step} ${n}`;

export const TASKS: readonly Task[] = SIZES.flatMap((n) =>
  STEPS.map((step): Task => ({
    id: idOf(step, n),
    work:
      step === "attention"
        ? { kind: "attention", n, d: FEATURES, heads: 1 }
        : { kind: step, n, d: FEATURES },
    threads: 1,
    milliseconds: n < 1024 ? 80 : n < 4096 ? 250 : 700,
  })),
);

/**
 * The exponent p of a time that grows as n to the p: the slope of the straight line that lies
 * nearest to the points on logarithmic axes. Null for fewer than two points.
 */
export function exponent(points: readonly (readonly [n: number, time: number])[]): number | null {
  if (points.length < 2) return null;
  const logs = points.map(([n, time]) => [Math.log(n), Math.log(time)] as const);
  const mean = (of: 0 | 1) => logs.reduce((sum, point) => sum + point[of], 0) / logs.length;
  const [middleX, middleY] = [mean(0), mean(1)];
  const across = logs.reduce((sum, [x]) => sum + (x - middleX) ** 2, 0);
  return logs.reduce((sum, [x, y]) => sum + (x - middleX) * (y - middleY), 0) / across;
}
