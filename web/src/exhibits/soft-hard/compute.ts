// Every number of soft and hard attention, from the core.
import { mask } from "qkv";
import type { Calculator } from "../../lib/calculator";
import type { NamedTensor } from "../../lib/csv";
import {
  at,
  fromRows,
  matrix,
  rowOf,
  selectColumns,
  selectRows,
  type Matrix,
} from "../../lib/matrix";
import { inputOf } from "./data";
import { trainedOf, type Parameter, type SoftHardState } from "./state";

export interface Slope {
  readonly parameter: Parameter;
  readonly value: number;
}

export interface Attended {
  readonly input: Matrix;
  /** What each number of the input is multiplied by. */
  readonly mask: Matrix;
  /** What comes out: as large as the input, or the part that was cut out. */
  readonly output: Matrix;
  /** The output added up. */
  readonly total: number;
  /** How fast the total changes with each parameter that training would have to find. */
  readonly slopes: readonly Slope[];
}

/** Items are scored by what they hold. */
function itemWeights(calculator: Calculator, input: Matrix, state: SoftHardState): Matrix {
  const items = matrix(input.data.length, 1, input.data);
  const normalizer =
    state.kind === "item-soft"
      ? "softmax"
      : state.pick === "hard"
        ? "hard"
        : ({ sample: { seed: state.draw } } as const);
  const { weights } = calculator.attend(fromRows([[1]]), items, items, {
    score: "dot",
    scale: state.beta,
    normalizer,
  });
  return matrix(input.rows, input.columns, weights.data);
}

/**
 * Locations are scored by where they lie: -((r - row)² + (c - column)²) / 2σ², which is a dot
 * product of numbers of the place looked for with numbers of the place looked at.
 */
function locationWeights(calculator: Calculator, input: Matrix, state: SoftHardState): Matrix {
  const row = input.rows > 1 ? state.row : 0;
  const { column, sigma } = state;
  const places = Array.from({ length: input.data.length }, (_, index) => {
    const r = Math.floor(index / input.columns);
    const c = index % input.columns;
    return [r * r + c * c, r, c, 1];
  });
  const wanted = fromRows([[-1, 2 * row, 2 * column, -(row * row + column * column)]]);
  const bias = calculator.dots(wanted, fromRows(places), 1 / (2 * sigma * sigma));
  const nothing = fromRows(places.map(() => [0]));
  // The content has no say: its scores are 0, and the Gaussian is added to them.
  const { weights } = calculator.attend(fromRows([[0]]), nothing, nothing, {
    score: "dot",
    bias: { data: bias.data, shape: [1, input.data.length] },
  });
  return matrix(input.rows, input.columns, weights.data);
}

const inside = (window: Float32Array) =>
  Array.from(window.keys()).filter((index) => window[index] !== 0);

/** The rows or columns of a window, as the core's mask has them. */
function windowOf(calculator: Calculator, length: number, middle: number, width: number) {
  const reach = (width - 1) / 2;
  const centre = Math.round(middle);
  const { data } = calculator.use((core) =>
    core.maskMatrix(mask.window({ left: reach, right: reach }), {
      queryLength: length,
      keyLength: length,
    }),
  );
  return rowOf(matrix(length, length, data), centre);
}

function cropped(calculator: Calculator, input: Matrix, state: SoftHardState) {
  const columns = windowOf(calculator, input.columns, state.column, state.width);
  const rows =
    input.rows > 1
      ? windowOf(calculator, input.rows, state.row, state.width)
      : Float32Array.of(1);
  const both = calculator.product(matrix(input.rows, 1, rows), matrix(1, input.columns, columns));
  const output = selectColumns(selectRows(input, inside(rows)), inside(columns));
  return { mask: both, output };
}

/** Entry by entry: of every number with every number, those on the diagonal. */
function times(calculator: Calculator, a: Matrix, b: Matrix): Matrix {
  const size = a.data.length;
  const products = calculator.dots(matrix(size, 1, a.data), matrix(size, 1, b.data));
  const own = Array.from({ length: size }, (_, index) => at(products, index, index));
  return matrix(a.rows, a.columns, own);
}

function attend(calculator: Calculator, state: SoftHardState) {
  const input = inputOf(state.source, state);
  if (state.kind === "location-hard") return { input, ...cropped(calculator, input, state) };
  const weights =
    state.kind === "location-soft"
      ? locationWeights(calculator, input, state)
      : itemWeights(calculator, input, state);
  if (state.kind === "item-hard") {
    const chosen = inside(weights.data);
    const output = matrix(1, chosen.length, chosen.map((index) => input.data[index] ?? 0));
    return { input, mask: weights, output };
  }
  return { input, mask: weights, output: times(calculator, weights, input) };
}

const total = (calculator: Calculator, { output }: { output: Matrix }): number =>
  calculator.rowSums(matrix(1, output.data.length, output.data)).data[0] ?? 0;

// Large enough for 32-bit floats, small enough for a slope.
const NUDGE = 1 / 64;

function slope(calculator: Calculator, state: SoftHardState, parameter: Parameter): Slope {
  const moved = (by: number) =>
    total(calculator, attend(calculator, { ...state, [parameter]: state[parameter] + by }));
  const difference = fromRows([[moved(NUDGE), moved(0)]]);
  const per = calculator.dots(difference, fromRows([[1, -1]]), 1 / NUDGE);
  return { parameter, value: per.data[0] ?? 0 };
}

export function compute(calculator: Calculator, state: SoftHardState): Attended {
  const attended = attend(calculator, state);
  return {
    ...attended,
    total: total(calculator, attended),
    slopes: trainedOf(state).map((parameter) => slope(calculator, state, parameter)),
  };
}

export function tensors({ input, mask: weights, output }: Attended): NamedTensor[] {
  return Object.entries({ input, mask: weights, output }).map(([name, m]) => ({
    name,
    shape: [m.rows, m.columns],
    data: m.data,
  }));
}
