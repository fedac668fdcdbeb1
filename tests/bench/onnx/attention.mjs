// The ways in which onnxruntime can compute a shape. Each gives
//   model     the bytes of an ONNX model
//   inputs    [{ name, of, layout, tokens, dims }]: which input of the shape goes in, in which
//             order of axes, which tokens of it, and as what shape
//   output    { dims, layout }
//   further   outputs besides: [{ name, sameAs }], where `sameAs` names the input in whose memory
//             it is written, if any
// or null where it cannot compute the shape. Layouts: "BHLD" as ours, "BHDL" transposed, and
// "BLHD", where the heads of a token stand side by side.
import { addendOf } from "../contenders/addend.mjs";
import { Graph } from "./model.mjs";

const OPSET = 23;

function sizesOf({ query, key, mask }) {
  const [batch, heads, queries, width] = [1, 1, ...query].slice(-4);
  const [, kvHeads, keys] = [1, 1, ...key].slice(-4);
  return { batch, heads, queries, width, kvHeads, keys, grouped: kvHeads !== heads, mask };
}

// MatMul, Softmax, MatMul: what an exported model says. onnxruntime fuses the scale and the
// transpose into the product. With `transposed` the keys come transposed already.
function products(shape, transposed) {
  const { batch, heads, queries, width, kvHeads, keys, grouped } = sizesOf(shape);
  const graph = new Graph();
  // Grouped heads: the queries that share keys become the rows of one product.
  const rows = (heads / kvHeads) * queries;
  const added = addendOf(shape);
  if (added && grouped) return null;
  const query = graph.input("query", [batch, kvHeads, rows, width]);
  const keyShape = transposed ? [batch, kvHeads, width, keys] : [batch, kvHeads, keys, width];
  const key = graph.input("key", keyShape);
  const value = graph.input("value", [batch, kvHeads, keys, width]);
  const turned = transposed ? key : graph.add("Transpose", [key], { perm: [0, 1, 3, 2] });
  const product = graph.add("MatMul", [query, turned]);
  let scores = graph.add("Mul", [product, graph.constant(Float32Array.of(width ** -0.5), [])]);
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
  const graph = new Graph();
  const query = graph.input("query", [batch, heads, queries, width]);
  const key = graph.input("key", [batch, kvHeads, keys, width]);
  const value = graph.input("value", [batch, kvHeads, keys, width]);
  const causal = mask?.kind === "causal";
  const added = causal ? null : addendOf(shape);
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
  if (grouped) return null;
  const side = [batch, queries, heads * width];
  const graph = new Graph();
  const query = graph.input("query", side);
  const kvShape = cached ? [batch, heads, keys, width] : [batch, keys, heads * width];
  const key = graph.input("key", kvShape);
  const value = graph.input("value", kvShape);
  const inputs = [query, key, value];
  const given = [
    { name: "query", of: "query", layout: "BLHD", dims: side },
    ...["key", "value"].map((name) => ({
      name,
      of: name,
      layout: cached ? "BHLD" : "BLHD",
      dims: kvShape,
    })),
  ];
  if (shape.bias) {
    inputs.push(null, null, graph.input("bias", shape.bias));
    given.push({ name: "bias", of: "bias", dims: shape.bias });
  } else if (mask?.kind === "lengths") {
    inputs.push(null, graph.input("lengths", [batch], "int32"));
    given.push({ name: "lengths", of: "lengths", dims: [batch] });
  }
  const causal = mask?.kind === "causal" ? { unidirectional: 1 } : {};
  graph.add("com.microsoft.MultiHeadAttention", inputs, { num_heads: heads, ...causal }, [
    "output",
  ]);
  graph.output("output", side);
  return { model: graph.encode(OPSET), inputs: given, output: { dims: side, layout: "BLHD" } };
}

// onnxruntime's operation for decoders, which is causal. With one query, the cache holds all tokens
// but the newest. With `inPlace` the cache that comes out is the one that went in, so that nothing
// but the newest token is copied. With as many queries as keys, there is no cache yet.
function groupedQuery(shape, inPlace) {
  const { batch, heads, queries, width, kvHeads, keys, mask } = sizesOf(shape);
  const prompt = mask?.kind === "causal" && mask.offset === 0 && queries === keys && !inPlace;
  const decodes = queries === 1 && keys > 1 && !mask;
  if (shape.bias || !(prompt || decodes)) return null;

  const [from, to] = prompt ? [0, keys] : [keys - 1, keys];
  const cached = prompt ? 0 : inPlace ? keys : keys - 1;
  const wide = [batch, queries, heads * width];
  const narrow = [batch, to - from, kvHeads * width];
  const past = [batch, kvHeads, cached, width];
  const given = [
    { name: "query", of: "query", layout: "BLHD", dims: wide },
    { name: "key", of: "key", layout: "BLHD", tokens: [from, to], dims: narrow },
    { name: "value", of: "value", layout: "BLHD", tokens: [from, to], dims: narrow },
    { name: "pastKey", of: "key", tokens: [0, cached], dims: past },
    { name: "pastValue", of: "value", tokens: [0, cached], dims: past },
    { name: "last", of: "last", dims: [batch], type: "int32" },
    { name: "total", of: "total", dims: [], type: "int32" },
  ].filter(({ tokens }) => tokens?.[1] !== 0);
  const graph = new Graph();
  for (const { name, dims, type } of given) graph.input(name, dims, type);
  const place = (name) => (given.some((input) => input.name === name) ? name : null);
  const inputs = ["query", "key", "value", "pastKey", "pastValue", "last", "total"].map(place);
  const outputs = ["output", "presentKey", "presentValue"];
  const attributes = { num_heads: heads, kv_num_heads: kvHeads };
  graph.add("com.microsoft.GroupQueryAttention", inputs, attributes, outputs);
  graph.output("output", wide);
  graph.output("presentKey");
  graph.output("presentValue");
  return {
    model: graph.encode(OPSET),
    inputs: given,
    further: ["Key", "Value"].map((kind) => ({
      name: `present${kind}`,
      sameAs: inPlace ? `past${kind}` : null,
    })),
    output: { dims: wide, layout: "BLHD" },
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
