// The worked example under a mask: pairs left out with the score -Infinity, or, wrongly, with 0.
import type { Calculator } from "../../lib/calculator";
import type { NamedTensor } from "../../lib/csv";
import { edgesOf } from "../../lib/masks";
import { filled, type Matrix } from "../../lib/matrix";
import { NOTES } from "../worked-example/presets";
import { allowed, type MaskedState } from "./state";

export interface Masked {
  readonly allowed: Matrix;
  /** As the products give them. */
  readonly scores: Matrix;
  /** With those of the pairs that are left out replaced. */
  readonly replaced: Matrix;
  readonly weights: Matrix;
  readonly rowSums: Matrix;
  readonly output: Matrix;
}

export function compute(calculator: Calculator, { keep, way }: MaskedState): Masked {
  const query = calculator.product(NOTES.x, NOTES.wQuery);
  const key = calculator.product(NOTES.x, NOTES.wKey);
  const value = calculator.product(NOTES.x, NOTES.wValue);
  const pairs = allowed(keep);
  const scores = calculator.dots(query, key);
  if (way === "infinity") {
    const options = { score: "dot", mask: edgesOf(pairs) } as const;
    const { scores: replaced, ...made } = calculator.attend(query, key, value, options);
    return { allowed: pairs, scores, replaced, ...rest(calculator, made) };
  }
  // Queries and keys of one feature that is 0 leave the bias as the only score.
  const none = filled(scores.rows, 1, 0);
  const data = scores.data.map((score, i) => (pairs.data[i] === 1 ? score : 0));
  const bias = { data, shape: [scores.rows, scores.columns] };
  const made = calculator.attend(none, none, value, { bias });
  return { allowed: pairs, scores, replaced: { ...scores, data }, ...rest(calculator, made) };
}

const rest = (calculator: Calculator, made: { weights: Matrix; output: Matrix }) => ({
  weights: made.weights,
  output: made.output,
  rowSums: calculator.rowSums(made.weights),
});

export function tensors(made: Masked): NamedTensor[] {
  const named = (name: string, { rows, columns, data }: Matrix): NamedTensor => ({
    name,
    shape: [rows, columns],
    data,
  });
  return [
    named("mask", made.allowed),
    named("S", made.scores),
    named("S_masked", made.replaced),
    named("A", made.weights),
    named("O", made.output),
  ];
}
