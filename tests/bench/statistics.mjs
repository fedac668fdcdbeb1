export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const below = Math.floor(place);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (place - below);
}

export const median = (values) => quantile(values, 0.5);

// How far the middle half of the values is apart, over the median.
export const spread = (values) =>
  (quantile(values, 0.75) - quantile(values, 0.25)) / median(values);

// The largest difference, over the largest of our values; NaN when there is one on either side.
export function difference(ours, theirs) {
  if (ours.length !== theirs.length) return Infinity;
  let largest = 0;
  let scale = 0;
  for (let place = 0; place < ours.length; ++place) {
    const apart = Math.abs(ours[place] - theirs[place]);
    if (Number.isNaN(apart)) return NaN;
    largest = Math.max(largest, apart);
    scale = Math.max(scale, Math.abs(ours[place]));
  }
  return largest / scale;
}
