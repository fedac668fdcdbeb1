// onnxruntime, natively in Node and as WebAssembly in Node and in a page: the same session and the
// same models. `module` is where the library is.
import { numbers, SEEDS } from "../numbers.mjs";
import { formulate, formulationsOf } from "../onnx/formulations.mjs";
import { elements } from "../shapes.mjs";
import { fromLayout, toLayout } from "../onnx/layouts.mjs";

export async function start({ module, threads, web }) {
  const library = await import(module);
  const ort = library.default ?? library;
  const version = ort.env.versions?.[web ? "web" : "node"] ?? ort.env.versions?.common;
  if (web) {
    ort.env.wasm.numThreads = threads;
    ort.env.logLevel = "error";
  }
  const options = {
    graphOptimizationLevel: "all",
    executionProviders: [web ? "wasm" : "cpu"],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: "sequential",
    logSeverityLevel: 3,
  };

  async function prepare(shape, name) {
    const { model, inputs, further = [], output } = formulate(shape, name);
    const session = await ort.InferenceSession.create(model, options);
    const feeds = {};
    for (const input of inputs) feeds[input.name] = tensor(ort, input, shape);
    const fetches = web ? ["output"] : resultTensors(output, further, feeds);
    let last;
    return {
      run: async () => {
        last = await session.run(feeds, fetches);
      },
      output: () => fromLayout(last.output.data, shape.query, output.layout),
      dispose: () => session.release(),
    };
  }

  // Natively results go where they are wanted, as with our `out`. The WebAssembly build leaves a given
  // tensor as it was.
  function resultTensors(output, further, feeds) {
    const empty = (dims) => new ort.Tensor("float32", new Float32Array(elements(dims)), dims);
    const fetches = { output: empty(output.dims) };
    for (const { name, dims, sameAs } of further) {
      fetches[name] = sameAs ? feeds[sameAs] : empty(dims);
    }
    return fetches;
  }

  return { info: { threads, version }, formulations: formulationsOf, prepare };
}

function tensor(ort, { of, layout = "BHLD", dims, tokens }, shape) {
  const keys = shape.key?.at(-2);
  switch (of) {
    case "last":
      return new ort.Tensor("int32", Int32Array.of(keys - 1), dims);
    case "total":
      return new ort.Tensor("int32", Int32Array.of(keys), dims);
    case "lengths":
      return new ort.Tensor("int32", Int32Array.from(shape.mask.key), dims);
    case "mask":
      return new ort.Tensor("float32", maskNumbers(shape, dims), dims);
    default: {
      const sizes = shape[of];
      const data = numbers(elements(sizes), SEEDS[of]);
      const laid = toLayout(data, sizes, layout, tokens);
      return new ort.Tensor("float32", laid.data, dims ?? laid.shape);
    }
  }
}

// 0 where the key may be seen, minus infinity elsewhere, for [batch, 1, queries, keys]; one row is
// enough where all queries see the same keys.
function maskNumbers({ mask }, [batch, , queries, keys]) {
  const allowed =
    mask.kind === "causal"
      ? (_, query, key) => key <= query + mask.offset
      : (entry, _, key) => key < mask.key[entry];
  const list = new Float32Array(batch * queries * keys);
  for (let place = 0; place < list.length; ++place) {
    const row = Math.floor(place / keys);
    if (!allowed(Math.floor(row / queries), row % queries, place % keys)) list[place] = -Infinity;
  }
  return list;
}
