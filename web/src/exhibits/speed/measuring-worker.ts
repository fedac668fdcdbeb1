// Measures in a worker, so that the page goes on meanwhile. The clock runs in here, next to the
// calls: seen from the page, each call of a few microseconds would take as long as the message that
// asks for it.
import { load, mask, type Qkv } from "qkv";
import { timing } from "./sampling";
import { input, TASKS, type Shape, type Task } from "./shapes";
import type { News, Order } from "./wire";

const tell = (news: News): void => postMessage(news);
const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

addEventListener("message", ({ data }: MessageEvent<Order>) => void measureAll(data));

async function measureAll({ variant, threads, milliseconds }: Order): Promise<void> {
  try {
    const qkv = await load({ variant, threads });
    tell({ kind: "loaded", threads: qkv.backend.threads });
    for (const task of TASKS) await measure(qkv, task, milliseconds * task.part);
    tell({ kind: "finished" });
  } catch (error) {
    tell({ kind: "failed", reason: reasonOf(error) });
  }
}

/** What cannot be measured, for example for want of memory, leaves the others alone. */
async function measure(qkv: Qkv, { shape, part }: Task, milliseconds: number): Promise<void> {
  try {
    const { call, dispose } = prepare(qkv, shape);
    const steps = timing(call, milliseconds);
    let step = steps.next();
    for (; !step.done; step = steps.next()) {
      tell({ kind: "step", shape: shape.name, part: part * step.value });
      await pause();
    }
    dispose();
    tell({ kind: "measured", shape: shape.name, timing: step.value });
  } catch (error) {
    tell({ kind: "refused", shape: shape.name, reason: reasonOf(error) });
  }
}

/** Between two tasks a worker can be ended at once; Chromium gives a busy one two seconds. */
function pause(): Promise<void> {
  return new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      done();
    };
    port2.postMessage(null);
  });
}

/** The inputs are in the core's memory, and the output has its place, before the clock starts. */
function prepare(qkv: Qkv, shape: Shape): { call: () => void; dispose: () => void } {
  const query = qkv.tensor(input(shape, "query"));
  const key = qkv.tensor(input(shape, "key"));
  const value = qkv.tensor(input(shape, "value"));
  const out = new Float32Array(query.shape.reduce((product, size) => product * size, 1));
  const options = {
    out,
    ...(shape.mask ? { mask: mask.causal({ offset: shape.mask.offset }) } : {}),
  };
  return {
    call: () => void qkv.attention(query, key, value, options),
    dispose: () => [query, key, value].forEach((tensor) => tensor.dispose()),
  };
}
