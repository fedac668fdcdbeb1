// One figure's numbers together with how they came about.
import { Calculator } from "./calculator";
import type { Core } from "./core.svelte";

export interface Measured<T> {
  readonly numbers: T;
  readonly calls: number;
  readonly microseconds: number;
}

// Below this the timer's step (5 or 100 microseconds) would be most of what is read.
const ENOUGH_MILLISECONDS = 1;
const MOST_MILLISECONDS = 8;
const LEAST_RUNS = 3;
const MOST_RUNS = 64;
// A computation as long as this is not done again for the sake of its time.
const LONG_MILLISECONDS = 100;

function median(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}

/**
 * Computes, and then repeats it to time it: the first run may also wait for the engine to compile,
 * and a single short one would be lost in the timer's step. The time is the median of the repeats.
 */
export function measured<T>(core: Core, compute: (calculator: Calculator) => T): Measured<T> {
  const calculator = new Calculator(core);
  const first = performance.now();
  const numbers = compute(calculator);
  const { calls } = calculator;
  const start = performance.now();
  if (start - first >= LONG_MILLISECONDS) {
    return { numbers, calls, microseconds: (start - first) * 1000 };
  }
  const times: number[] = [];
  let now = start;
  do {
    const begin = now;
    compute(calculator);
    now = performance.now();
    times.push(now - begin);
  } while (
    times.length < MOST_RUNS &&
    now - start < MOST_MILLISECONDS &&
    (now - start < ENOUGH_MILLISECONDS || times.length < LEAST_RUNS)
  );
  return { numbers, calls, microseconds: median(times) * 1000 };
}
