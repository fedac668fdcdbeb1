// The ways in which onnxruntime can compute multi-head attention with its projections. All take the
// input as [batch, length, embed], and hold the weights as constants, which it packs in advance.
import { layerParameters } from "../numbers.mjs";
import { Graph } from "./model.mjs";

const OPSET = 23;

// [out, in] to [in, out], as MatMul multiplies.
function transposed(weight, size) {
  const result = new Float32Array(weight.length);
  for (let row = 0; row < size; ++row) {
    for (let column = 0; column < size; ++column)
      result[column * size + row] = weight[row * size + column];
  }
  return result;
}

// The graph of a layer around `attend(graph, [query, key, value])`, which are the projected inputs,
// [batch, length, embed].
function around(shape, attend) {
  const { embed } = shape.layer;
  const graph = new Graph();
  const x = graph.input("x", shape.query);
  const project = (input, { weight, bias }, outputs) => {
    const product = graph.add("MatMul", [
      input,
      graph.constant(transposed(weight, embed), [embed, embed]),
    ]);
    return graph.add("Add", [product, graph.constant(bias, [embed])], {}, outputs);
  };
  const parameters = layerParameters(embed);
  const inputs = parameters.slice(0, 3).map((parameter) => project(x, parameter));
  project(attend(graph, inputs, shape), parameters[3], ["output"]);
  return finish(graph, shape);
}

function finish(graph, shape) {
  graph.output("output", shape.query);
  return {
    model: graph.encode(OPSET),
    inputs: [{ name: "x", of: "query", dims: shape.query }],
    output: { dims: shape.query, layout: "as ours" },
  };
}

function products(graph, inputs, { query: [batch, length, embed], layer: { heads } }) {
  const width = embed / heads;
  const constant = (numbers) =>
    graph.constant(BigInt64Array.from(numbers, BigInt), [numbers.length]);
  const split = (input, perm) =>
    graph.add(
      "Transpose",
      [graph.add("Reshape", [input, constant([batch, length, heads, width])])],
      { perm },
    );
  const query = split(inputs[0], [0, 2, 1, 3]);
  const key = split(inputs[1], [0, 2, 3, 1]);
  const value = split(inputs[2], [0, 2, 1, 3]);
  const scale = graph.constant(Float32Array.of(width ** -0.5), []);
  const scores = graph.add("Mul", [graph.add("MatMul", [query, key]), scale]);
  const mixed = graph.add("MatMul", [graph.add("Softmax", [scores], { axis: -1 }), value]);
  const joined = graph.add("Transpose", [mixed], { perm: [0, 2, 1, 3] });
  return graph.add("Reshape", [joined, constant([batch, length, embed])]);
}

const standard = (graph, inputs, { layer: { heads } }) =>
  graph.add("Attention", inputs, { q_num_heads: heads, kv_num_heads: heads });

const multiHead = (graph, inputs, { layer: { heads } }) =>
  graph.add("com.microsoft.MultiHeadAttention", inputs, { num_heads: heads });

// onnxruntime's operation that projects as well, by one product for queries, keys and values.
function packed(shape) {
  const { embed, heads } = shape.layer;
  const parameters = layerParameters(embed);
  const weight = new Float32Array(3 * embed * embed);
  const bias = new Float32Array(3 * embed);
  parameters.slice(0, 3).forEach((parameter, part) => {
    const turned = transposed(parameter.weight, embed);
    for (let row = 0; row < embed; ++row) {
      weight.set(turned.subarray(row * embed, (row + 1) * embed), (3 * row + part) * embed);
    }
    bias.set(parameter.bias, part * embed);
  });
  const graph = new Graph();
  const x = graph.input("x", shape.query);
  const constants = [graph.constant(weight, [embed, 3 * embed]), graph.constant(bias, [3 * embed])];
  const mixed = graph.add("com.microsoft.Attention", [x, ...constants], { num_heads: heads });
  const last = graph.constant(transposed(parameters[3].weight, embed), [embed, embed]);
  const product = graph.add("MatMul", [mixed, last]);
  graph.add("Add", [product, graph.constant(parameters[3].bias, [embed])], {}, ["output"]);
  return finish(graph, shape);
}

export const LAYER = {
  "MatMul, Softmax, MatMul": (shape) => around(shape, products),
  Attention: (shape) => around(shape, standard),
  MultiHeadAttention: (shape) => around(shape, multiHead),
  "com.microsoft.Attention": packed,
};
