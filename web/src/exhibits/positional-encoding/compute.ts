// Every number of the positional encoding, from the core.
import type { Calculator } from "../../lib/calculator";
import type { NamedTensor } from "../../lib/csv";
import { at, filled, type Matrix } from "../../lib/matrix";
import type { EncodingState } from "./state";

/** One pair of columns and the angle by which a step along the sequence turns it. */
export interface Turn {
  readonly pair: number;
  readonly cosine: number;
  readonly sine: number;
  readonly period: number;
  /** The rotation by one whole period, as the core computes it. */
  readonly back: { readonly cosine: number; readonly sine: number };
}

export interface Encoding {
  readonly encoding: Matrix;
  readonly input: Matrix;
  /** The sum of both, after dropout: what the layer gives on. */
  readonly output: Matrix;
  readonly rotation: Matrix;
  readonly turns: readonly Turn[];
}

const entry = (rotation: Matrix, pair: number) => ({
  cosine: at(rotation, 2 * pair, 2 * pair),
  sine: at(rotation, 2 * pair, 2 * pair + 1),
});

function turn(calculator: Calculator, rotation: Matrix, pair: number): Turn {
  const { cosine, sine } = entry(rotation, pair);
  // The one conversion made in the page: from the core's cosine and sine of an angle to the number
  // of such angles in a full turn. The core then proves it by turning that far.
  const period = (2 * Math.PI) / Math.atan2(sine, cosine);
  return {
    pair,
    cosine,
    sine,
    period,
    back: entry(calculator.rotation(period, rotation.columns), pair),
  };
}

export function compute(calculator: Calculator, state: EncodingState): Encoding {
  const { length, dim, dropout, seed, columns } = state;
  const input = filled(length, dim, 0);
  for (const { row, column, value } of state.input) {
    if (row < length && column < dim) input.data[row * dim + column] = value;
  }
  const rotation = calculator.rotation(1, dim);
  const pairs = [...new Set(columns.map((column) => Math.floor(column / 2)))].sort((a, b) => a - b);
  return {
    encoding: calculator.sinusoidal(length, dim),
    input,
    output: calculator.encoded(input, dropout, seed),
    rotation,
    turns: pairs.map((pair) => turn(calculator, rotation, pair)),
  };
}

export function tensors({ encoding, input, output, rotation }: Encoding): NamedTensor[] {
  const named = (name: string, { rows, columns, data }: Matrix): NamedTensor => ({
    name,
    shape: [rows, columns],
    data,
  });
  return [
    named("P", encoding),
    named("X", input),
    named("output", output),
    named("rotation", rotation),
  ];
}
