// Every number of the focus, from the core: softmax of the saliency, divided by a temperature.
import type { Calculator } from "../../lib/calculator";
import type { NamedTensor } from "../../lib/csv";
import { filled, fromRows, matrix, type Matrix } from "../../lib/matrix";
import { saliency, SIDE, temperature, type FocusState } from "./state";

const ITEMS = SIDE * SIDE;
export const SHARE = 0.9;

export interface Focus {
  readonly saliency: Matrix;
  readonly weights: Matrix;
  readonly largest: number;
  /** Entropy of the weights, in bits. */
  readonly bits: number;
  /** How many items, the heaviest first, have SHARE of the weight. */
  readonly needed: number;
  /** The weight of the heaviest one, two, three, … items together. */
  readonly together: Matrix;
}

export function compute(calculator: Calculator, state: FocusState): Focus {
  const salient = saliency(state);
  const scale = 1 / temperature(state);
  const keys = matrix(ITEMS, 1, salient.data);
  const one = fromRows([[1]]);
  const like = (m: Matrix) => ({ data: m.data, shape: [m.rows, m.columns] });
  // With the saliency as values too, the output is the mean saliency, which the entropy needs.
  const { weights, logSumExp, output } = calculator.use((core) =>
    core.attention(like(one), like(keys), like(keys), {
      score: "dot",
      scale,
      returns: { weights: true, logSumExp: true },
    }),
  );
  // Entropy: log of the sum of exponentials, less the mean score; in bits instead of nats.
  const parts = fromRows([[logSumExp.data[0] ?? 0, output.data[0] ?? 0]]);
  const bits = calculator.dots(parts, fromRows([[1, -scale]]), 1 / Math.LN2).data[0] ?? 0;
  const sorted = weights.data.slice().sort().reverse();
  const together = calculator.product(matrix(1, ITEMS, sorted), upToEach());
  const enough = together.data.findIndex((sum) => sum >= SHARE);
  return {
    saliency: salient,
    weights: matrix(SIDE, SIDE, weights.data),
    largest: sorted[0] ?? 0,
    bits,
    needed: enough < 0 ? ITEMS : enough + 1,
    together,
  };
}

/** Times this, a row becomes its running sums. */
function upToEach(): Matrix {
  const result = filled(ITEMS, ITEMS, 0);
  for (let row = 0; row < ITEMS; row += 1) {
    result.data.fill(1, row * ITEMS + row, (row + 1) * ITEMS);
  }
  return result;
}

export const tensors = (focus: Focus): NamedTensor[] => [
  { name: "saliency", shape: [SIDE, SIDE], data: focus.saliency.data },
  { name: "weights", shape: [SIDE, SIDE], data: focus.weights.data },
  { name: "together", shape: [1, ITEMS], data: focus.together.data },
];
