// onnxruntime, natively in Node and as WebAssembly in Node and in a page: the same session and the
// same models. `module` is where the library is.
import { numbers, SEEDS } from "../numbers.mjs";
import { formulate, formulationsOf } from "../onnx/formulations.mjs";
import { fromLayout, toLayout } from "../onnx/layouts.mjs";
import { elements } from "../shapes.mjs";
import { addendNumbers } from "./addend.mjs";

const TINY = { query: [1, 1], key: [1, 1], value: [1, 1] };

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

  // The first session compiles and starts the library.
  const begin = performance.now();
  const { model } = formulate(TINY, "MatMul, Softmax, MatMul");
  await (await ort.InferenceSession.create(model, options)).release();
  const loadMs = performance.now() - begin;

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

  // In WebAssembly GroupQueryAttention takes 7 s for a prompt where the others take 0.6 s.
  function formulations(shape) {
    const names = formulationsOf(shape);
    const isSlow = (name) => web && shape.mask?.kind === "causal" && name === "GroupQueryAttention";
    return names.filter((name) => !isSlow(name));
  }

  // Natively results go where they are wanted, as with our `out`. The WebAssembly build leaves a
  // given tensor as it was.
  function resultTensors(output, further, feeds) {
    const data = new Float32Array(elements(output.dims));
    const fetches = { output: new ort.Tensor("float32", data, output.dims) };
    for (const { name, sameAs } of further) fetches[name] = sameAs ? feeds[sameAs] : null;
    return fetches;
  }

  return { info: { threads, version, loadMs }, formulations, prepare };
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
    case "bias":
      return new ort.Tensor("float32", addendNumbers(shape, dims), dims);
    default: {
      const sizes = shape[of];
      const data = numbers(elements(sizes), SEEDS[of]);
      const laid = toLayout(data, sizes, layout, tokens);
      return new ort.Tensor("float32", laid.data, dims ?? laid.shape);
    }
  }
}
