// The threads that compute beside the caller's. They are started once, before the first call: a page
// cannot start any while it computes.
import { nodeModule } from "./engine.js";
import type { Core, Pool } from "./core.js";
import type { PoolOrder } from "./pool-thread.js";
import { startWorker, type Script, type WorkerPort } from "./worker-port.js";

/** As many as the core takes (src/include/qkv/backend.hpp). */
export const MOST_THREADS = 1024;
// Without being asked: each costs some megabytes and, in Node, some milliseconds.
const MOST_BY_ITSELF = 16;
// A thread that is not there by then does not come.
const PATIENCE_MS = 5000;
const STACK_BYTES = 2 ** 18;
const STACK_ALIGNMENT = 16;

const SCRIPT: Script = {
  web: () => new Worker(new URL("./pool-thread.js", import.meta.url), { type: "module" }),
  name: "pool-thread",
};

/** How many threads `"auto"` is, where memory can be shared. */
export function threadsByItself(): number {
  const cores =
    globalThis.navigator?.hardwareConcurrency ??
    nodeModule<{ availableParallelism(): number }>("node:os")?.availableParallelism() ??
    1;
  return Math.min(cores, MOST_BY_ITSELF);
}

/**
 * Gives the core `threads` threads, its caller's among them, or as many of them as can be had: a
 * policy may forbid workers, or a server lack their script.
 */
export async function startThreads(
  core: Core,
  pool: Pool,
  module: WebAssembly.Module,
  threads: number,
): Promise<void> {
  pool.sleep(Number(maySleep()));
  const start = async (): Promise<void> => {
    // Never given back: a thread that does not answer may still run.
    const pointer = core.allocate(STACK_BYTES + STACK_ALIGNMENT) >>> 0;
    const stack = Math.ceil(pointer / STACK_ALIGNMENT) * STACK_ALIGNMENT;
    const order = { module, memory: core.heap.memory, stack, stackBytes: STACK_BYTES };
    if (pointer !== 0 && (await isReady(order))) pool.enlist();
  };
  await Promise.all(Array.from({ length: threads - 1 }, start));
}

function isReady(order: PoolOrder): Promise<boolean> {
  return new Promise((resolve) => {
    let port: WorkerPort<PoolOrder> | undefined;
    const settle = (ready: boolean): void => {
      clearTimeout(timer);
      if (ready) port?.hold(false);
      else port?.terminate();
      resolve(ready);
    };
    const timer = setTimeout(() => settle(false), PATIENCE_MS);
    try {
      port = startWorker<PoolOrder, "ready">(
        SCRIPT,
        () => settle(true),
        () => settle(false),
      );
      port.post(order);
    } catch {
      settle(false);
    }
  });
}

// A page's own thread may not.
function maySleep(): boolean {
  try {
    return Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 0) === "timed-out";
  } catch {
    return false;
  }
}
