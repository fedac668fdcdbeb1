// What it costs to bring 2^20 numbers into WebAssembly's memory and out again.
import { median, spread } from "../statistics.mjs";

export const names = ["transfer"];

const COUNT = 2 ** 20;
const shape = { name: "transfer", query: [COUNT], transfer: true };

export async function measure({ chosen, opener, quick }) {
  const contender = chosen.find(
    ({ name, threads }) => name === "qkv wasm simd128" && threads === 1,
  );
  if (!contender) return { results: [], ratios: [] };
  const connection = await opener.open(contender);
  const { firstMs } = await connection.send({ do: "prepare", shape });
  await connection.send({ do: "warm", name: shape.name, milliseconds: 50 });
  const times = [];
  for (let sample = 0; sample < (quick ? 9 : 25); ++sample) {
    times.push((await connection.send({ do: "sample", name: shape.name, milliseconds: 5 })).ms);
  }
  await connection.close();
  const medianMs = median(times);
  const { name, threads } = contender;
  return {
    results: [
      {
        shape: shape.name,
        contender: name,
        threads,
        firstMs,
        medianMs,
        spread: spread(times),
        gflops: null,
        gbPerSecond: (2 * 4 * COUNT) / medianMs / 1e6,
      },
    ],
    ratios: [
      {
        name: "ms for 2^20 numbers into wasm and out",
        value: medianMs,
        reach: 10,
        dream: null,
        higherIsBetter: false,
      },
    ],
  };
}
