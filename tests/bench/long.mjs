// The same in WebAssembly, in a process of its own: node long.mjs VARIANT LENGTH full|window
import { load, mask } from "qkv";

const [variant, lengthText, kind] = process.argv.slice(2);
const length = Number(lengthText);
const shape = [1, 1, length, 64];

function numbers(seed) {
  const list = new Float32Array(length * 64);
  let state = seed;
  for (let index = 0; index < list.length; ++index) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    list[index] = (state >>> 8) / 8388608 - 1;
  }
  return { data: list, shape };
}

const qkv = await load({ variant });
const [query, key, value] = [1, 2, 3].map(numbers);
const out = new Float32Array(length * 64);
const options = kind === "window" ? { mask: mask.window({ left: 256, right: 256 }), out } : { out };
let best = Infinity;
for (let round = 0; round < 3 && !(best > 3000 && best < Infinity); ++round) {
  const start = performance.now();
  qkv.attention(query, key, value, options);
  best = Math.min(best, performance.now() - start);
}
const { variant: backend, threads } = qkv.backend;
console.log(JSON.stringify({ backend, threads, ms: best, peakBytes: qkv.memory().total }));
