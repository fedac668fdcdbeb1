// Who notices when one token changes: every token is changed in turn, and all outputs are compared.
import type { Calculator } from "../../lib/calculator";
import { filled, largest, matrix, rowOf, type Matrix } from "../../lib/matrix";
import { mix, MIXERS, shapesOf, type Mixer, type Widths } from "../../lib/mixers";
import { FEATURES, LENGTH } from "./state";

const WIDTHS: Widths = { hidden: 8, rank: 2, tokenHidden: 24, channelHidden: 16, features: 16 };

export interface Mixed {
  /** Rows: the changed token. Columns: how far each output moves. */
  readonly moves: Matrix;
  /** The largest difference between f(x + y) and f(x) + f(y). */
  readonly gap: number;
  /** The same as a share of the largest number of f(x + y). */
  readonly share: number;
}

type Matrices = ReturnType<typeof matricesOf>;

/** Tokens and parameters of one draw. */
export interface Drawn {
  readonly x: Matrix;
  readonly y: Matrix;
  readonly matrices: Record<Mixer, Matrices>;
}

const SIZE = LENGTH * FEATURES;
// One feature is changed: a layer norm would take out what is added to all of them.
const FEATURE = 1;

/** The matrices of a mixer, each as wide as keeps a sum over its inputs near 1. */
function matricesOf(calculator: Calculator, mixer: Mixer, seed: number) {
  const shapes = Object.entries(shapesOf(mixer, LENGTH, FEATURES, WIDTHS));
  return Object.fromEntries(
    shapes.map(([name, [rows, columns]], i) => {
      // Each matrix has a stream of its own; 16 are more than any mixer has.
      const { data } = calculator.random(rows, columns, 16 * seed + 2 + i);
      // From the deviation 0.02 they are drawn with. Scores are no matrix that adds up inputs.
      const scale = 50 / (name === "scores" ? 1 : Math.sqrt(columns));
      const flat = matrix(data.length, 1, data);
      const scaled = calculator.dots(flat, matrix(1, 1, [1]), scale);
      return [name, { data: scaled.data, shape: [rows, columns] }];
    }),
  );
}

/** x, y, x + y, and x with each token changed in turn, one below the other. */
function inputs(calculator: Calculator, x: Matrix, y: Matrix, amount: number): Matrix {
  const all = filled(3 + LENGTH, SIZE, 0);
  const add = filled(3 + LENGTH, SIZE, 0);
  for (let row = 0; row < all.rows; row += 1) all.data.set(row === 1 ? y.data : x.data, row * SIZE);
  // What is added, with its sign turned since it will be taken away.
  add.data.set(calculator.difference(filled(1, SIZE, 0), matrix(1, SIZE, y.data)).data, 2 * SIZE);
  for (let token = 0; token < LENGTH; token += 1) {
    add.data[(3 + token) * SIZE + token * FEATURES + FEATURE] = -amount;
  }
  return calculator.difference(all, add);
}

const forEach = <T>(make: (mixer: Mixer) => T): Record<Mixer, T> =>
  Object.fromEntries(MIXERS.map((mixer) => [mixer, make(mixer)])) as Record<Mixer, T>;

export function draw(calculator: Calculator, seed: number): Drawn {
  return {
    x: calculator.normal(LENGTH, FEATURES, 16 * seed),
    y: calculator.normal(LENGTH, FEATURES, 16 * seed + 1),
    matrices: forEach((mixer) => matricesOf(calculator, mixer, seed)),
  };
}

export function compute(
  calculator: Calculator,
  { x, y, matrices }: Drawn,
  amount: number,
): Record<Mixer, Mixed> {
  const all = inputs(calculator, x, y, amount);
  const batch = { data: all.data, shape: [all.rows, LENGTH, FEATURES] };

  const mixed = (mixer: Mixer): Mixed => {
    const { data } = calculator.use((core) => mix(core, mixer, batch, matrices[mixer]));
    const output = (row: number) => matrix(1, SIZE, data.slice(row * SIZE, (row + 1) * SIZE));
    const again = filled(LENGTH, SIZE, 0);
    for (let i = 0; i < LENGTH; i += 1) again.data.set(output(0).data, i * SIZE);
    const gaps = calculator.difference(matrix(LENGTH, SIZE, data.slice(3 * SIZE)), again);
    const perToken = matrix(LENGTH * LENGTH, FEATURES, gaps.data);
    const moves = matrix(
      LENGTH,
      LENGTH,
      Array.from({ length: LENGTH * LENGTH }, (_, i) =>
        rowOf(perToken, i).reduce((most, value) => Math.max(most, Math.abs(value)), 0),
      ),
    );
    const parts = calculator.difference(calculator.difference(output(2), output(0)), output(1));
    return {
      moves,
      gap: largest(parts),
      share: largest(parts) / largest(output(2)),
    };
  };

  return forEach(mixed);
}
