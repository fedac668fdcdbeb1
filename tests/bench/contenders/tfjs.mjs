// TensorFlow.js on its WebAssembly backend, in Node. `module` is the file of the backend.
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { layerParameters, numbers, SEEDS } from "../numbers.mjs";
import { elements } from "../shapes.mjs";
import { addendNumbers, addendOf } from "./addend.mjs";

const FORMULATIONS = ["scaled queries", "scaled scores"];

export async function start({ module }) {
  const require = createRequire(module);
  const tf = require("@tensorflow/tfjs-core");
  require(fileURLToPath(module));
  await tf.setBackend("wasm");
  await tf.ready();

  function attend(query, key, value, formulation, added) {
    const scale = query.shape.at(-1) ** -0.5;
    let scores =
      formulation === "scaled queries"
        ? tf.matMul(tf.mul(query, scale), key, false, true)
        : tf.mul(tf.matMul(query, key, false, true), scale);
    if (added) scores = tf.add(scores, added);
    return tf.matMul(tf.softmax(scores), value);
  }

  // `hold` makes a tensor that lives as long as the shape is measured.
  const numbersOf = (shape, name) => numbers(elements(shape[name]), SEEDS[name]);

  function attention(shape, formulation, hold) {
    const [key, value] = ["key", "value"].map((name) => hold(numbersOf(shape, name), shape[name]));
    // Queries that share keys become the rows of one product.
    const rows = (elements(shape.query) / elements(shape.key)) * shape.key.at(-2);
    const query = hold(numbersOf(shape, "query"), shape.key.with(-2, rows));
    const addend = addendOf(shape);
    const added = addend && hold(addendNumbers(shape, addend.shape), addend.shape);
    return () => attend(query, key, value, formulation, added);
  }

  function layer(shape, formulation, hold) {
    const [batch, length, embed] = shape.query;
    const { heads } = shape.layer;
    const x = hold(numbersOf(shape, "query"), [batch * length, embed]);
    const [q, k, v, out] = layerParameters(embed).map(({ weight, bias }) => {
      const [weights, addends] = [hold(weight, [embed, embed]), hold(bias, [embed])];
      return (from) => tf.add(tf.matMul(from, weights, false, true), addends);
    });
    const split = (whole) =>
      tf.transpose(tf.reshape(whole, [batch, length, heads, embed / heads]), [0, 2, 1, 3]);
    return () => {
      const mixed = attend(...[q, k, v].map((project) => split(project(x))), formulation);
      return out(tf.reshape(tf.transpose(mixed, [0, 2, 1, 3]), [batch * length, embed]));
    };
  }

  function prepare(shape, formulation) {
    const inputs = [];
    const hold = (data, sizes) => {
      const tensor = tf.tensor(data, sizes);
      inputs.push(tensor);
      return tensor;
    };
    const compute = (shape.layer ? layer : attention)(shape, formulation, hold);
    let last;
    return {
      // This backend computes at once: nothing has to be waited for.
      run: () => {
        last?.dispose();
        last = tf.tidy(compute);
      },
      output: () => last.dataSync(),
      dispose: () => tf.dispose([last, ...inputs]),
    };
  }

  return {
    info: { threads: 1, version: tf.version_core },
    formulations: () => FORMULATIONS,
    prepare,
  };
}
