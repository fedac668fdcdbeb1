// n to n, n to 1, n to m: the same attention, with different queries.
import type { Calculator } from "../../lib/calculator";
import type { Codec } from "../../lib/codec";
import type { NamedTensor } from "../../lib/csv";
import { number, oneOf, writeNumber } from "../../lib/entries";
import type { Matrix } from "../../lib/matrix";

export const SHAPES = ["each", "one", "many"] as const;
export type Shape = (typeof SHAPES)[number];

export const LIMITS = {
  n: { least: 1, most: 8, step: 1 },
  m: { least: 1, most: 8, step: 1 },
} as const;

export interface ShapesState {
  readonly shape: Shape;
  readonly n: number;
  readonly m: number;
}

const initial: ShapesState = { shape: "each", n: 5, m: 3 };

export const codec: Codec<ShapesState> = {
  initial,
  write: (state) => ({
    shape: state.shape === initial.shape ? null : state.shape,
    n: writeNumber(state.n, initial.n),
    m: writeNumber(state.m, initial.m),
  }),
  read: (entry) => ({
    shape: oneOf(entry("shape"), SHAPES, initial.shape),
    n: number(entry("n"), LIMITS.n, initial.n),
    m: number(entry("m"), LIMITS.m, initial.m),
  }),
};

const FEATURES = 4;
const SEEDS = { input: 3, query: 4 };

export interface Shown {
  readonly input: Matrix;
  readonly query: Matrix;
  readonly weights: Matrix;
  readonly output: Matrix;
}

export function compute(calculator: Calculator, { shape, n, m }: ShapesState): Shown {
  const input = calculator.normal(n, FEATURES, SEEDS.input);
  const query =
    shape === "each"
      ? input
      : calculator.normal(shape === "one" ? 1 : m, FEATURES, SEEDS.query);
  const { weights, output } = calculator.attention(query, input, input, true);
  return { input, query, weights, output };
}

export const tensors = (shown: Shown): NamedTensor[] =>
  Object.entries(shown).map(([name, m]: [string, Matrix]) => ({
    name,
    shape: [m.rows, m.columns],
    data: m.data,
  }));
