// Matrices that make few rows out of many, K × N each: row k of the product is what row k says.
import { filled, type Matrix } from "./matrix";

/** Where the k-th of `few` stretches of `many` rows begins. */
export const startOf = (k: number, few: number, many: number): number =>
  Math.floor((k * many) / few);

/** Each row is the mean of one stretch of neighbours; the stretches are as equal as can be. */
export function neighbourMeans(few: number, many: number): Matrix {
  const result = filled(few, many, 0);
  for (let k = 0; k < few; k += 1) {
    const [from, to] = [startOf(k, few, many), startOf(k + 1, few, many)];
    result.data.fill(1 / (to - from), k * many + from, k * many + to);
  }
  return result;
}

/** Each row is one of the given rows as it is. */
export function chosenRows(chosen: readonly number[], many: number): Matrix {
  const result = filled(chosen.length, many, 0);
  chosen.forEach((row, k) => (result.data[k * many + row] = 1));
  return result;
}
