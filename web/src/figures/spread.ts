/**
 * Where to write labels that want to stand at the given heights, at least `gap` apart and between
 * `least` and `most` if there is room.
 */
export function spread(
  wanted: readonly number[],
  gap: number,
  least: number,
  most: number,
): number[] {
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a]! - wanted[b]!);
  const placed = [...wanted];
  let limit = least;
  for (const i of order) {
    placed[i] = Math.max(placed[i]!, limit);
    limit = placed[i] + gap;
  }
  limit = most;
  for (const i of order.reverse()) {
    placed[i] = Math.min(placed[i]!, limit);
    limit = placed[i] - gap;
  }
  return placed;
}
