// The three tokens of chapter 3 with fewer keys and values: by a matrix, or by a convolution, which
// is a matrix as well.
import type { Calculator } from "../../lib/calculator";
import { filled, largest, matrix, selectRows, type Matrix } from "../../lib/matrix";
import { NOTES } from "../worked-example/presets";
import { TOKENS, type CompressState } from "./state";

export interface Compressed {
  readonly query: Matrix;
  readonly key: Matrix;
  readonly value: Matrix;
  /** K × N. */
  readonly e: Matrix;
  readonly fewKeys: Matrix;
  readonly fewValues: Matrix;
  readonly weights: Matrix;
  readonly output: Matrix;
  readonly exact: Matrix;
  /** The largest change of a number of the output. */
  readonly gap: number;
}

const like = ({ rows, columns, data }: Matrix) => ({ data, shape: [rows, columns] });

/** The taps, moved on by the stride from row to row; the last window ends with the last token. */
export function windows(taps: Matrix, stride: number): Matrix {
  const rows = Math.ceil(TOKENS / stride);
  const result = filled(rows, TOKENS, 0);
  for (let row = 0; row < rows; row += 1) {
    const end = TOKENS - (rows - 1 - row) * stride;
    taps.data.forEach((tap, i) => {
      const token = end - taps.columns + i;
      if (token >= 0) result.data[row * TOKENS + token] = tap;
    });
  }
  return result;
}

/** The same taps for every feature, and no feature into another: [D, D, taps]. */
function kernelOf(taps: Matrix, width: number) {
  const data = new Float32Array(width * width * taps.columns);
  for (let feature = 0; feature < width; feature += 1) {
    data.set(taps.data, (feature * width + feature) * taps.columns);
  }
  return { data, shape: [width, width, taps.columns] };
}

export function compute(calculator: Calculator, state: CompressState): Compressed {
  const { way, e, keys, taps, stride } = state;
  const query = calculator.product(NOTES.x, NOTES.wQuery);
  const key = calculator.product(NOTES.x, NOTES.wKey);
  const value = calculator.product(NOTES.x, NOTES.wValue);
  const exact = calculator.attention(query, key, value, true).output;
  const shortening =
    way === "matrix"
      ? selectRows(e, Array.from({ length: keys }, (_, row) => row))
      : windows(taps, stride);
  const fewKeys = calculator.product(shortening, key);
  const fewValues = calculator.product(shortening, value);
  const made = calculator.use((core) =>
    way === "matrix"
      ? core.linformer(like(query), like(key), like(value), { keyProjection: like(shortening) })
      : core.compressedAttention(like(query), like(key), like(value), {
          stride,
          kernelSize: taps.columns,
          keyKernel: kernelOf(taps, key.columns),
          valueKernel: kernelOf(taps, value.columns),
        }),
  );
  const output = matrix(TOKENS, value.columns, made.output.data);
  return {
    query,
    key,
    value,
    e: shortening,
    fewKeys,
    fewValues,
    weights: calculator.attention(query, fewKeys, fewValues, true).weights,
    output,
    exact,
    gap: largest(calculator.difference(output, exact)),
  };
}
