// qkv in WebAssembly, in Node and in a page. `module` is where the package is.
import { layerParameters, numbers, SEEDS } from "../numbers.mjs";
import { elements } from "../shapes.mjs";

export async function start({ module, variant, threads }) {
  const { load, mask } = await import(module);
  const begin = performance.now();
  const qkv = await load({ variant, threads });
  const loadMs = performance.now() - begin;
  const info = { threads: qkv.backend.threads, version: qkv.version, loadMs };
  if (qkv.backend.variant !== variant) info.absent = `runs ${qkv.backend.variant} instead`;
  if (qkv.backend.threads !== threads) info.absent = `load() gave ${qkv.backend.threads} thread(s)`;

  function attention(shape) {
    const array = (name) => ({
      data: numbers(elements(shape[name]), SEEDS[name]),
      shape: shape[name],
    });
    const resident = [];
    const input = (name) => {
      if (shape.arrays) return array(name);
      const tensor = qkv.tensor(array(name));
      resident.push(tensor);
      return tensor;
    };
    const [query, key, value] = ["query", "key", "value"].map(input);
    const out = new Float32Array(elements(shape.query));
    const options = { out };
    if (shape.mask) options.mask = maskOf(shape.mask);
    if (shape.bias) options.bias = input("bias");
    return {
      run: () => void qkv.attention(query, key, value, options),
      output: () => out,
      dispose: () => resident.forEach((tensor) => tensor.dispose()),
    };
  }

  function layer(shape) {
    const { embed, heads } = shape.layer;
    const attend = new qkv.MultiHeadAttention({ embedDim: embed, numHeads: heads });
    const parameters = {};
    for (const { name, weight, bias } of layerParameters(embed)) {
      parameters[`${name}.weight`] = { data: weight, shape: [embed, embed] };
      parameters[`${name}.bias`] = { data: bias, shape: [embed] };
    }
    attend.loadStateDict(parameters);
    const data = numbers(elements(shape.query), SEEDS.query);
    const x = qkv.tensor({ data, shape: shape.query });
    const out = new Float32Array(elements(shape.query));
    return {
      run: () => void attend.forward(x, x, x, { out }),
      output: () => out,
      dispose: () => [attend, x].forEach((owner) => owner.dispose()),
    };
  }

  // Numbers that go in and come out again.
  function transfer(shape) {
    const input = { data: numbers(elements(shape.query), SEEDS.query), shape: shape.query };
    let out;
    return {
      run: () => {
        const tensor = qkv.tensor(input);
        out = tensor.data;
        tensor.dispose();
      },
      output: () => out,
    };
  }

  function maskOf({ kind, ...options }) {
    return mask[kind](options);
  }

  return {
    info,
    formulations: (shape) => [shape.arrays ? "arrays" : "tensors"],
    prepare: (shape) => (shape.layer ? layer : shape.transfer ? transfer : attention)(shape),
    memory: () => qkv.memory().total,
  };
}
