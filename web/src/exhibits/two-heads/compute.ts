// Several heads on the same tokens, step by step, and the same from the core's layer.
import type { Calculator } from "../../lib/calculator";
import type { NamedTensor } from "../../lib/csv";
import { filled, largest, matrix, selectColumns, transposed, type Matrix } from "../../lib/matrix";
import type { Inputs } from "./state";

export interface Head {
  /** Its own columns of the queries, keys and values. */
  readonly query: Matrix;
  readonly key: Matrix;
  readonly value: Matrix;
  readonly weights: Matrix;
  readonly output: Matrix;
}

export interface Heads {
  readonly inputs: Inputs;
  readonly query: Matrix;
  readonly key: Matrix;
  readonly value: Matrix;
  readonly heads: readonly Head[];
  readonly joined: Matrix;
  readonly output: Matrix;
  /** Largest difference from what the core's multi-head layer gives. */
  readonly gap: number;
}

const columnsOf = (head: number, width: number) =>
  Array.from({ length: width }, (_, i) => head * width + i);

export function compute(calculator: Calculator, inputs: Inputs, count: number): Heads {
  const { x } = inputs;
  const query = calculator.product(x, inputs.wQuery);
  const key = calculator.product(x, inputs.wKey);
  const value = calculator.product(x, inputs.wValue);
  const [tokens, wide] = [x.rows, query.columns];
  const width = wide / count;
  // One call for all heads: each reads its own columns, by strides.
  const split = ({ data }: Matrix) => ({
    data,
    shape: [count, tokens, width],
    strides: [width, wide, 1],
  });
  const made = calculator.use((core) =>
    core.attention(split(query), split(key), split(value), { returns: { weights: true } }),
  );
  const block = (data: Float32Array, head: number, columns: number) =>
    matrix(tokens, columns, data.subarray(head * tokens * columns, (head + 1) * tokens * columns));
  const heads = Array.from({ length: count }, (_, head): Head => {
    const own = columnsOf(head, width);
    return {
      query: selectColumns(query, own),
      key: selectColumns(key, own),
      value: selectColumns(value, own),
      weights: block(made.weights.data, head, tokens),
      output: block(made.output.data, head, width),
    };
  });
  const joined = sideBySide(heads.map((head) => head.output));
  const output = calculator.product(joined, inputs.wOutput);
  const gap = largest(calculator.difference(output, byLayer(calculator, inputs, count)));
  return { inputs, query, key, value, heads, joined, output, gap };
}

function sideBySide(parts: readonly Matrix[]): Matrix {
  const [rows, width] = [parts[0]!.rows, parts[0]!.columns];
  const result = filled(rows, width * parts.length, 0);
  parts.forEach((part, index) => {
    for (let row = 0; row < rows; row += 1) {
      const from = part.data.subarray(row * width, (row + 1) * width);
      result.data.set(from, row * result.columns + index * width);
    }
  });
  return result;
}

function byLayer(calculator: Calculator, inputs: Inputs, count: number): Matrix {
  const { x, wQuery, wKey, wValue, wOutput } = inputs;
  const parameter = (w: Matrix) => ({ data: transposed(w).data, shape: [w.columns, w.rows] });
  return calculator.use((core) => {
    const layer = new core.MultiHeadAttention({
      embedDim: x.columns,
      numHeads: count,
      bias: false,
    });
    layer.loadStateDict({
      "q_proj.weight": parameter(wQuery),
      "k_proj.weight": parameter(wKey),
      "v_proj.weight": parameter(wValue),
      "out_proj.weight": parameter(wOutput),
    });
    const { output } = layer.forward({ data: x.data, shape: [x.rows, x.columns] });
    layer.dispose();
    return matrix(x.rows, x.columns, output.data);
  });
}

export function tensors(made: Heads): NamedTensor[] {
  const named = (name: string, { rows, columns, data }: Matrix): NamedTensor => ({
    name,
    shape: [rows, columns],
    data,
  });
  const { inputs } = made;
  return [
    named("x", inputs.x),
    named("W_Q", inputs.wQuery),
    named("W_K", inputs.wKey),
    named("W_V", inputs.wValue),
    named("W_O", inputs.wOutput),
    named("Q", made.query),
    named("K", made.key),
    named("V", made.value),
    ...made.heads.flatMap((head, i) => [
      named(`A_${i + 1}`, head.weights),
      named(`O_${i + 1}`, head.output),
    ]),
    named("concat", made.joined),
    named("output", made.output),
  ];
}
