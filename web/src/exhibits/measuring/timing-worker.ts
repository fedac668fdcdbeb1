// Times one task after the other in a worker, so that the page goes on meanwhile.
import { load } from "qkv";
import { timing } from "../speed/sampling";
import type { News, Task } from "./wire";
import { prepare } from "./works";

const tell = (news: News): void => postMessage(news);
const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

addEventListener("message", ({ data }: MessageEvent<readonly Task[]>) => void timeAll(data));

async function timeAll(tasks: readonly Task[]): Promise<void> {
  try {
    for (const task of tasks) await time(task);
    tell({ kind: "finished" });
  } catch (error) {
    tell({ kind: "failed", reason: reasonOf(error) });
  }
}

async function time({ id, work, threads, milliseconds }: Task): Promise<void> {
  const qkv = await load({ threads });
  tell({ kind: "step", id, part: 0 });
  // What cannot be done, for example for want of memory, leaves the others alone.
  try {
    const { call, dispose } = prepare(qkv, work);
    const steps = timing(call, milliseconds);
    let step = steps.next();
    for (; !step.done; step = steps.next()) tell({ kind: "step", id, part: step.value });
    dispose();
    tell({ kind: "measured", id, timing: step.value });
  } catch (error) {
    tell({ kind: "refused", id, reason: reasonOf(error) });
  }
}
