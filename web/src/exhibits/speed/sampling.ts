// First call and steady state of one call, within a given time.

export interface Timing {
  readonly firstMs: number;
  /** Of a call, over the samples. */
  readonly medianMs: number;
  readonly samples: number;
}

// Part of the time for what engines compile late.
const WARM_PART = 0.2;
// Long enough for a timer that steps 0.1 ms, as it does in a page that is not isolated.
const SAMPLE_MS = 20;
const LEAST_SAMPLES = 3;
const MOST_SAMPLES = 25;
const MOST_CALLS = 1e5;

/**
 * Calls again and again for about so many milliseconds. Yields how far it is, from 0 to 1; between
 * two steps the caller may do something else. A call that takes longer than all the time is made
 * just twice.
 */
export function* timing(
  call: () => void,
  milliseconds: number,
  now: () => number = () => performance.now(),
): Generator<number, Timing> {
  const begin = now();
  const mean = (calls: number): number => {
    const start = now();
    for (let made = 0; made < calls; made += 1) call();
    return (now() - start) / calls;
  };
  const done = () => Math.min(1, (now() - begin) / milliseconds);

  const firstMs = mean(1);
  yield done();

  let estimate = firstMs;
  while (done() < WARM_PART) {
    // More at once as it gets going, for the sake of the timer.
    estimate = mean(callsIn(1, estimate));
    yield done();
  }

  const sampleMs = Math.min(SAMPLE_MS, milliseconds / LEAST_SAMPLES / 2);
  const times: number[] = [];
  const least = firstMs > milliseconds ? 1 : LEAST_SAMPLES;
  while (times.length < least || (done() < 1 && times.length < MOST_SAMPLES)) {
    estimate = mean(callsIn(sampleMs, estimate));
    times.push(estimate);
    yield done();
  }
  return { firstMs, medianMs: median(times), samples: times.length };
}

function callsIn(milliseconds: number, estimate: number): number {
  return Math.round(Math.min(MOST_CALLS, Math.max(1, milliseconds / estimate)));
}

function median(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return Number.isInteger(middle)
    ? (sorted[middle - 1]! + sorted[middle]!) / 2
    : sorted[Math.floor(middle)]!;
}
