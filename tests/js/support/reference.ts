import type { Data } from "./random.js";

/** Attention of one head in float64, straight from its definition. */
export function referenceAttention(query: Data, key: Data, value: Data): Data {
  const [queries, width] = query.shape;
  const [keys, valueWidth] = value.shape;
  const output = new Float32Array(queries * valueWidth);
  const weights = new Float64Array(keys);
  const row = new Float64Array(valueWidth);
  for (let i = 0; i < queries; ++i) {
    let largest = -Infinity;
    for (let j = 0; j < keys; ++j) {
      let score = 0;
      for (let d = 0; d < width; ++d) score += query.data[i * width + d] * key.data[j * width + d];
      weights[j] = score / Math.sqrt(width || 1);
      largest = Math.max(largest, weights[j]);
    }
    let sum = 0;
    row.fill(0);
    for (let j = 0; j < keys; ++j) {
      const weight = Math.exp(weights[j] - largest);
      sum += weight;
      for (let d = 0; d < valueWidth; ++d) row[d] += weight * value.data[j * valueWidth + d];
    }
    for (let d = 0; d < valueWidth; ++d) output[i * valueWidth + d] = sum === 0 ? 0 : row[d] / sum;
  }
  return { data: output, shape: [queries, valueWidth] };
}
