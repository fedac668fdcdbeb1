// A picture as a set of 64 vectors: brightness and darkness, and where the pixel is.
import type { Calculator } from "../../lib/calculator";
import type { NamedTensor } from "../../lib/csv";
import { filled, matrix, rowOf, type Matrix } from "../../lib/matrix";
import { lightOf, SIDE, type ImageState } from "./state";

const PIXELS = SIDE * SIDE;
/** Columns of the encoding of a row or a column of the picture; its waves are longer than 8. */
const PLACE = 4;
const BASE = 4;
const WIDTH = 2 + 2 * PLACE;

export interface Picture {
  readonly image: Matrix;
  readonly tokens: Matrix;
  readonly weights: Matrix;
  /** The weights of the pixel that asks, as a picture. */
  readonly shown: Matrix;
  /** What the pixel gets: the weighted mean of all brightnesses. */
  readonly output: Matrix;
}

export function compute(calculator: Calculator, state: ImageState): Picture {
  const light = lightOf(state);
  const place = calculator.use((core) =>
    core.position.sinusoidal({ length: SIDE, dim: PLACE, base: BASE }),
  );
  const tokens = filled(PIXELS, WIDTH, 0);
  light.forEach((bright, i) => {
    const dark = 1 - bright;
    const row = Math.floor(i / SIDE) * PLACE;
    const column = (i % SIDE) * PLACE;
    tokens.data.set([bright, dark], i * WIDTH);
    tokens.data.set(place.data.subarray(row, row + PLACE), i * WIDTH + 2);
    tokens.data.set(place.data.subarray(column, column + PLACE), i * WIDTH + 2 + PLACE);
  });
  // The query's matrix says how much likeness and nearness count.
  const wQuery = filled(WIDTH, WIDTH, 0);
  for (let i = 0; i < WIDTH; i += 1) {
    wQuery.data[i * WIDTH + i] = i < 2 ? state.alike : state.near;
  }
  const query = calculator.product(tokens, wQuery);
  const image = matrix(PIXELS, 1, light);
  const { weights, output } = calculator.attention(query, tokens, image, false);
  return {
    image: matrix(SIDE, SIDE, light),
    tokens,
    weights,
    shown: matrix(SIDE, SIDE, rowOf(weights, state.pixel)),
    output: matrix(SIDE, SIDE, output.data),
  };
}

export function tensors({ image, tokens, weights, output }: Picture): NamedTensor[] {
  const named = (name: string, { rows, columns, data }: Matrix): NamedTensor => ({
    name,
    shape: [rows, columns],
    data,
  });
  return [
    named("image", image),
    named("tokens", tokens),
    named("A", weights),
    named("output", output),
  ];
}
