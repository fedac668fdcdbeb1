// How long it takes to load: fetch or read, compile and instantiate the module. The JavaScript
// around it is there already. Each time in a fresh process, or page.
import { idOf } from "../contenders.mjs";
import { median, spread } from "../statistics.mjs";

export const names = ["load"];

export async function measure({ chosen, opener, quick, say }) {
  const loaders = chosen.filter(({ family, host, threads }) =>
    family === "qkv wasm"
      ? !quick || (host === "node" && threads === 1)
      : family === "onnxruntime-web" && threads === 1 && !quick,
  );
  const times = new Map(loaders.map((contender) => [contender, []]));
  for (let round = 0; round < (quick ? 3 : 5); ++round) {
    for (const contender of loaders) {
      say(`load: ${idOf(contender)}`);
      const connection = await opener.tryOpen(contender);
      if (!connection) continue;
      times.get(contender).push(connection.info.loadMs);
      await connection.close();
    }
  }
  const measured = [...times].filter(([, values]) => values.length > 0);
  const results = measured.map(([{ name, threads }, values]) => ({
    shape: "load",
    contender: name,
    threads,
    firstMs: values[0],
    medianMs: median(values),
    spread: spread(values),
    gflops: null,
    rounds: values.length,
  }));
  const ratios = results
    .filter(({ contender, threads }) => contender === "qkv wasm simd128" && threads === 1)
    .map(({ medianMs }) => ({
      name: "ms to load wasm simd128",
      value: medianMs,
      reach: 30,
      dream: null,
      higherIsBetter: false,
    }));
  return { results, ratios };
}
