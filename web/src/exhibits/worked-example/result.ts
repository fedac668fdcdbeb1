import type { Matrix } from "../../lib/matrix";
import type { Messages } from "../../messages/en";
import type { Worked } from "./compute";
import type { Names } from "./names";
import type { Step } from "./state";

export interface Result {
  readonly matrix: Matrix;
  readonly row: (row: number) => string;
  readonly column: (column: number) => string;
}

/** What a step makes (of one key, where it makes something of each), and what its parts are called. */
export function resultOf(
  worked: Worked,
  names: Names,
  { place }: Messages["grid"],
  step: Step,
  key: number,
): Result {
  const { feature } = names;
  const ofKey = (row: number) => place(names.query(row), names.key(key));
  const results: Record<Step, Result> = {
    key: { matrix: worked.key, row: names.key, column: feature },
    query: { matrix: worked.query, row: names.query, column: feature },
    value: { matrix: worked.value, row: names.value, column: feature },
    score: { matrix: worked.dot, row: names.query, column: names.key },
    scale: { matrix: worked.scores, row: names.query, column: names.key },
    softmax: { matrix: worked.weights, row: names.query, column: names.key },
    weigh: { matrix: worked.weighted[key]!, row: ofKey, column: feature },
    sum: { matrix: worked.output, row: names.output, column: feature },
  };
  return results[step];
}
