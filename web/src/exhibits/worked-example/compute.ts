// Every number of the worked example, from the core.
import type { Calculator } from "../../lib/calculator";
import type { NamedTensor } from "../../lib/csv";
import { fromRows, rowOf, columnOf, transposed, type Matrix } from "../../lib/matrix";
import { CLASSIC, PRINTED_WEIGHTS, type Inputs } from "./presets";
import type { Step } from "./state";

export interface Worked {
  readonly inputs: Inputs;
  readonly key: Matrix;
  readonly query: Matrix;
  readonly value: Matrix;
  readonly dot: Matrix;
  /** What softmax gets: `dot`, divided or not. */
  readonly scores: Matrix;
  readonly weights: Matrix;
  readonly rowSums: Matrix;
  /** What the values are multiplied by: the weights, or those the source rounded. */
  readonly used: Matrix;
  readonly weighted: readonly Matrix[];
  readonly output: Matrix;
  /** Beside the source's rounded table: what is exact, and the difference. */
  readonly exact: Matrix | null;
  readonly gap: Matrix | null;
  /** Scores and weights of the round numbers told for the two words. */
  readonly classic: { readonly scores: Matrix; readonly weights: Matrix } | null;
}

export interface Choices {
  /** Scores divided by the root of d_k. */
  readonly scaled: boolean;
  /** Values weighted as in the source's printed table. */
  readonly printed: boolean;
  /** With the round numbers told for the two words. */
  readonly words: boolean;
}

export const PLAIN: Choices = { scaled: false, printed: false, words: false };

export function compute(calculator: Calculator, inputs: Inputs, choices: Choices): Worked {
  const { scaled, printed, words } = choices;
  const key = calculator.product(inputs.x, inputs.wKey);
  const query = calculator.product(inputs.x, inputs.wQuery);
  const value = calculator.product(inputs.x, inputs.wValue);
  const dot = calculator.dots(query, key);
  const { scores, weights, output } = calculator.attention(query, key, value, scaled);
  const used = printed ? PRINTED_WEIGHTS : weights;
  const shown = printed ? calculator.product(PRINTED_WEIGHTS, value) : output;
  return {
    inputs,
    key,
    query,
    value,
    dot,
    scores,
    weights,
    rowSums: calculator.rowSums(weights),
    used,
    weighted: calculator.weighted(used, value),
    output: shown,
    exact: printed ? output : null,
    gap: printed ? calculator.difference(output, shown) : null,
    classic: words ? classic(calculator) : null,
  };
}

function classic(calculator: Calculator): Worked["classic"] {
  const one = fromRows([[1]]);
  // One query 1 and the keys 112 and 96: their products are the two scores.
  return calculator.attention(one, CLASSIC.scores, CLASSIC.scores, CLASSIC.factor);
}

/** A result's cell: its row and column, and for weighted values the key. */
export interface Spot {
  readonly row: number;
  readonly column: number;
  readonly key: number;
}

/** The factors whose products add up to one cell, for the steps that are dot products. */
export function factors(worked: Worked, step: Step, { row, column }: Spot) {
  const { inputs } = worked;
  switch (step) {
    case "key":
      return [rowOf(inputs.x, row), columnOf(inputs.wKey, column)] as const;
    case "query":
      return [rowOf(inputs.x, row), columnOf(inputs.wQuery, column)] as const;
    case "value":
      return [rowOf(inputs.x, row), columnOf(inputs.wValue, column)] as const;
    case "score":
      return [rowOf(worked.query, row), rowOf(worked.key, column)] as const;
    default:
      return null;
  }
}

/** What the numbers drawer lists. */
export function tensors(worked: Worked): NamedTensor[] {
  const plain = (name: string, { rows, columns, data }: Matrix): NamedTensor => ({
    name,
    shape: [rows, columns],
    data,
  });
  const { inputs, weighted, value } = worked;
  const size = value.rows * value.columns;
  const stacked = new Float32Array(weighted.length * size);
  weighted.forEach((block, key) => stacked.set(block.data, key * size));
  return [
    plain("x", inputs.x),
    plain("W_K", inputs.wKey),
    plain("W_Q", inputs.wQuery),
    plain("W_V", inputs.wValue),
    plain("K", worked.key),
    plain("Q", worked.query),
    plain("V", value),
    plain("S", worked.dot),
    plain("S_scaled", worked.scores),
    plain("A", worked.weights),
    { name: "A_times_V", shape: [weighted.length, value.rows, value.columns], data: stacked },
    plain("O", worked.output),
    ...(worked.exact ? [plain("O_exact", worked.exact)] : []),
    ...(worked.gap ? [plain("O_gap", worked.gap)] : []),
  ];
}

export const keysAsColumns = (worked: Worked): Matrix => transposed(worked.key);
