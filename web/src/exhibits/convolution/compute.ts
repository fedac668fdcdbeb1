// A convolution, and the same from attention whose heads each look at one neighbour.
import type { Calculator } from "../../lib/calculator";
import { largest, matrix, transposed, type Matrix } from "../../lib/matrix";
import { LENGTH, SIZE, type ConvolutionState } from "./state";

export interface Both {
  readonly convolved: Matrix;
  /** Weights of each head. */
  readonly heads: readonly Matrix[];
  readonly attended: Matrix;
  readonly gap: number;
}

export function compute(calculator: Calculator, state: ConvolutionState): Both {
  const { signal, kernel, sharpness } = state;
  const x = { data: signal.data, shape: [LENGTH, 1] };
  const convolved = calculator.use((core) =>
    core.conv1d(x, { data: kernel.data, shape: [1, 1, SIZE] }),
  );
  const offsets = calculator.use((core) => core.offsetHeads({ length: LENGTH, size: SIZE }));
  const bias = { data: softened(offsets.output.data, sharpness), shape: [SIZE, LENGTH, LENGTH] };
  // Queries and keys of one feature that is 0 leave the bias as the only score.
  const nothing = { data: new Float32Array(SIZE * LENGTH), shape: [SIZE, LENGTH, 1] };
  const values = { data: signal.data, shape: [SIZE, LENGTH, 1], strides: [0, 1, 1] };
  const made = calculator.use((core) =>
    core.attention(nothing, nothing, values, { bias, returns: { weights: true } }),
  );
  // Each head's output is one column; the kernel mixes them, as W_O does.
  const columns = transposed(matrix(SIZE, LENGTH, made.output.data));
  const attended = transposed(calculator.product(columns, transposed(kernel)));
  const expected = matrix(1, LENGTH, convolved.output.data);
  const block = LENGTH * LENGTH;
  return {
    convolved: expected,
    heads: Array.from({ length: SIZE }, (_, head) =>
      matrix(LENGTH, LENGTH, made.weights.data.subarray(head * block, (head + 1) * block)),
    ),
    attended,
    gap: largest(calculator.difference(attended, expected)),
  };
}

/** A finite score in place of minus infinity; rows whose neighbour lies outside stay empty. */
function softened(bias: Float32Array, sharpness: number): Float32Array {
  const result = bias.slice();
  for (let start = 0; start < bias.length; start += LENGTH) {
    const row = result.subarray(start, start + LENGTH);
    if (row.includes(0)) row.forEach((value, i) => (row[i] = Math.max(value, -sharpness)));
  }
  return result;
}
