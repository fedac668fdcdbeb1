// The peak of multiply-adds in WebAssembly: native/fma_peak.cpp, compiled for one variant.
import { readFile } from "node:fs/promises";

const ROUNDS = 20000;

export async function start({ file }) {
  const { instance } = await WebAssembly.instantiate(await readFile(file), {});
  const { fma_peak: peak, _initialize: initialize } = instance.exports;
  initialize?.();

  function prepare() {
    const flops = peak(1) * ROUNDS;
    return { run: () => void peak(ROUNDS), flops };
  }

  return { info: { threads: 1 }, formulations: () => ["registers"], prepare };
}
