// The ways in which onnxruntime can compute a shape. Each gives
//   model     the bytes of an ONNX model
//   inputs    [{ name, of, layout, tokens, dims }]: which input of the shape goes in, in which order
//             of axes, which tokens of it, and as what shape
//   output    { dims, layout }
//   further   outputs besides: [{ name, dims, sameAs }], where `sameAs` names an input in whose
//             memory it is written
// or null where it cannot compute the shape. Layouts: "BHLD" as ours, "BHDL" transposed, and "BLHD",
// where the heads of a token stand side by side.
import { Graph } from "./model.mjs";

const OPSET = 23;

function sizesOf({ query, key, mask }) {
  const [batch, heads, queries, width] = [1, 1, ...query].slice(-4);
  const [, kvHeads, keys] = [1, 1, ...key].slice(-4);
  return { batch, heads, queries, width, kvHeads, keys, grouped: kvHeads !== heads, mask };
}

// What is added to the scores, broadcast to [batch, heads, queries, keys]: the bias, or the mask with
// minus infinity for what may not be seen.
function addend(shape) {
  const { batch, queries, keys } = sizesOf(shape);
  if (shape.bias) return { of: "bias", shape: shape.bias };
  if (shape.mask?.kind === "causal") return { of: "mask", shape: [1, 1, queries, keys] };
  if (shape.mask?.kind === "lengths") return { of: "mask", shape: [batch, 1, 1, keys] };
  return null;
}

// MatMul, Softmax, MatMul: what an exported model says. onnxruntime fuses the scale and the transpose
// into the product. With `transposed` the keys come transposed already.
function products(shape, transposed) {
  const { batch, heads, queries, width, kvHeads, keys, grouped } = sizesOf(shape);
  if (shape.layer) return null;
  const graph = new Graph();
  // Grouped heads: the queries that share keys become the rows of one product.
  const rows = grouped ? (heads / kvHeads) * queries : queries;
  if (grouped && (addend(shape) || shape.mask)) return null;
  const query = graph.input("query", [batch, kvHeads, rows, width]);
  const key = graph.input("key", transposed ? [batch, kvHeads, width, keys] : [batch, kvHeads, keys, width]);
  const value = graph.input("value", [batch, kvHeads, keys, width]);
  const turned = transposed ? key : graph.add("Transpose", [key], { perm: [0, 1, 3, 2] });
  const product = graph.add("MatMul", [query, turned]);
  let scores = graph.add("Mul", [product, graph.constant(Float32Array.of(width ** -0.5), [])]);
  const added = addend(shape);
  if (added) scores = graph.add("Add", [scores, graph.input(added.of, added.shape)]);
  const weights = graph.add("Softmax", [scores], { axis: -1 });
  graph.add("MatMul", [weights, value], {}, ["output"]);
  graph.output("output", [batch, kvHeads, rows, width]);
  return {
    model: graph.encode(OPSET),
    inputs: [
      { name: "query", of: "query", dims: [batch, kvHeads, rows, width] },
      { name: "key", of: "key", layout: transposed ? "BHDL" : "BHLD" },
      { name: "value", of: "value" },
      ...(added ? [{ name: added.of, of: added.of, dims: added.shape }] : []),
    ],
    output: { dims: [batch, kvHeads, rows, width], layout: "BHLD" },
  };
}

// The standard's own operation, since version 23.
function standard(shape) {
  const { batch, heads, queries, width, kvHeads, keys, mask } = sizesOf(shape);
  if (shape.layer) return null;
  const graph = new Graph();
  const query = graph.input("query", [batch, heads, queries, width]);
  const key = graph.input("key", [batch, kvHeads, keys, width]);
  const value = graph.input("value", [batch, kvHeads, keys, width]);
  const causal = mask?.kind === "causal";
  const added = causal ? null : addend(shape);
  // It wants the mask's last two axes in full.
  const dims = added && [...added.shape.slice(0, 2), queries, keys];
  const inputs = [query, key, value, ...(added ? [graph.input(added.of, dims)] : [])];
  graph.add("Attention", inputs, causal ? { is_causal: 1 } : {}, ["output"]);
  graph.output("output", [batch, heads, queries, width]);
  return {
    model: graph.encode(OPSET),
    inputs: [
      ...["query", "key", "value"].map((name) => ({ name, of: name })),
      ...(added ? [{ name: added.of, of: added.of, dims }] : []),
    ],
    output: { dims: [batch, heads, queries, width], layout: "BHLD" },
  };
}

// onnxruntime's fused operation. Keys and values have their heads side by side, or apart as in a
// cache.
function multiHead(shape, cached) {
  const { batch, heads, queries, width, keys, grouped, mask } = sizesOf(shape);
  if (shape.layer || grouped) return null;
  const side = [batch, queries, heads * width];
  const graph = new Graph();
  const query = graph.input("query", side);
  const kvShape = cached ? [batch, heads, keys, width] : [batch, keys, heads * width];
  const key = graph.input("key", kvShape);
  const value = graph.input("value", kvShape);
  const inputs = [query, key, value];
  const given = [
    { name: "query", of: "query", layout: "BLHD", dims: side },
    ...["key", "value"].map((name) => ({ name, of: name, layout: cached ? "BHLD" : "BLHD", dims: kvShape })),
  ];
  if (shape.bias) {
    inputs.push(null, null, graph.input("bias", shape.bias));
    given.push({ name: "bias", of: "bias", dims: shape.bias });
  } else if (mask?.kind === "lengths") {
    inputs.push(null, graph.input("lengths", [batch], "int32"));
    given.push({ name: "lengths", of: "lengths", dims: [batch] });
  }
  const causal = mask?.kind === "causal" ? { unidirectional: 1 } : {};
  graph.add("com.microsoft.MultiHeadAttention", inputs, { num_heads: heads, ...causal }, ["output"]);
  graph.output("output", side);
  return { model: graph.encode(OPSET), inputs: given, output: { dims: side, layout: "BLHD" } };
}

// onnxruntime's operation for decoders: the cache holds all tokens but the newest. With `inPlace` the
// cache that comes out is the one that went in, so that nothing but the newest token is copied.
function groupedQuery(shape, inPlace) {
  const { batch, heads, queries, width, kvHeads, keys } = sizesOf(shape);
  if (shape.layer || queries !== 1 || keys < 2 || shape.bias || shape.mask) return null;
  const graph = new Graph();
  const past = [batch, kvHeads, inPlace ? keys : keys - 1, width];
  const side = [batch, 1, kvHeads * width];
  const present = [batch, kvHeads, keys, width];
  const inputs = [
    graph.input("query", [batch, 1, heads * width]),
    graph.input("key", side),
    graph.input("value", side),
    graph.input("pastKey", past),
    graph.input("pastValue", past),
    graph.input("last", [batch], "int32"),
    graph.input("total", [], "int32"),
  ];
  const attributes = { num_heads: heads, kv_num_heads: kvHeads };
  const outputs = ["output", "presentKey", "presentValue"];
  graph.add("com.microsoft.GroupQueryAttention", inputs, attributes, outputs);
  graph.output("output", [batch, 1, heads * width]);
  graph.output("presentKey");
  graph.output("presentValue");
  const newest = [keys - 1, keys];
  const older = [0, inPlace ? keys : keys - 1];
  return {
    model: graph.encode(OPSET),
    inputs: [
      { name: "query", of: "query", layout: "BLHD", dims: [batch, 1, heads * width] },
      { name: "key", of: "key", layout: "BLHD", tokens: newest, dims: side },
      { name: "value", of: "value", layout: "BLHD", tokens: newest, dims: side },
      { name: "pastKey", of: "key", tokens: older, dims: past },
      { name: "pastValue", of: "value", tokens: older, dims: past },
      { name: "last", of: "last", dims: [batch] },
      { name: "total", of: "total", dims: [] },
    ],
    further: ["Key", "Value"].map((kind) => ({
      name: `present${kind}`,
      dims: present,
      ...(inPlace ? { sameAs: `past${kind}` } : {}),
    })),
    output: { dims: [batch, 1, heads * width], layout: "BLHD" },
  };
}

export const ATTENTION = {
  "MatMul, Softmax, MatMul": (shape) => products(shape, false),
  "the same, keys transposed": (shape) => products(shape, true),
  Attention: standard,
  MultiHeadAttention: (shape) => multiHead(shape, false),
  "MultiHeadAttention, keys as in a cache": (shape) => multiHead(shape, true),
  GroupQueryAttention: (shape) => groupedQuery(shape, false),
  "GroupQueryAttention, cache in place": (shape) => groupedQuery(shape, true),
};
