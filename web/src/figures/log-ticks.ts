// Ends and ticks of the upward axis of a LogChart.

/** The powers of ten just below and just above all values; a usual range where there are none. */
export function powersAround(values: readonly number[]): [number, number] {
  if (values.length === 0) return [0.1, 1000];
  const power = (value: number) => Math.log10(value);
  const least = Math.floor(power(Math.min(...values)));
  const most = Math.ceil(power(Math.max(...values) * 1.01));
  return [10 ** least, 10 ** Math.max(most, least + 1)];
}

/** The powers of ten between two of them. */
export function powersBetween([least, most]: readonly [number, number]): number[] {
  const first = Math.round(Math.log10(least));
  const last = Math.round(Math.log10(most));
  return Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i));
}

export const QUARTERS = [0, 0.25, 0.5, 0.75, 1] as const;
