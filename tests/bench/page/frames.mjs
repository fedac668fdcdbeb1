// Counts the frames of the page, idle and while a worker attends `heads` heads of 8192 tokens.
import { numbers } from "../numbers.mjs";

const IDLE_MS = 1000;

export async function frames(heads) {
  const { loadInWorker } = await import("/dist/worker.js");
  const qkv = await loadInWorker();
  const shape = [1, heads, 8192, 64];
  const inputs = [1, 2, 3].map((seed) => ({ data: numbers(heads * 8192 * 64, seed), shape }));
  const tensors = await Promise.all(inputs.map((input) => qkv.tensor(input)));
  const idle = await during(() => new Promise((done) => setTimeout(done, IDLE_MS)));
  const busy = await during(() => qkv.attention(...tensors));
  qkv.terminate();
  return { idle, busy, ms: busy.ms };
}

async function during(action) {
  const stamps = [];
  let running = true;
  const count = (stamp) => {
    stamps.push(stamp);
    if (running) requestAnimationFrame(count);
  };
  requestAnimationFrame(count);
  const start = performance.now();
  await action();
  const ms = performance.now() - start;
  running = false;
  const gaps = stamps.slice(1).map((stamp, index) => stamp - stamps[index]);
  const time = stamps.at(-1) - stamps[0];
  return { perSecond: (1000 * gaps.length) / time, longestMs: Math.max(...gaps), ms };
}
