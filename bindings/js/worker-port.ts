// A worker, whether of the web or of Node.
import { nodeModule } from "./engine.js";
import { messageOf, QkvError } from "./errors.js";
import type { Reply, Request } from "./wire.js";

export interface WorkerPort {
  post(request: Request): void;
  /** Whether something is awaited: only then does the worker keep Node from ending. */
  hold(busy: boolean): void;
  terminate(): void;
}

interface NodeWorker {
  on(event: string, listener: (value: unknown) => void): void;
  postMessage(message: Request): void;
  ref(): void;
  unref(): void;
  terminate(): void;
}

interface WorkerThreads {
  readonly Worker: new (script: URL) => NodeWorker;
}

/** Starts the worker. `failed` is told when it cannot start or ends by itself. */
export function startWorker(
  receive: (reply: Reply) => void,
  failed: (error: QkvError) => void,
): WorkerPort {
  const fail = (reason: string): void => {
    const advice = "check that the server serves worker-thread.js";
    failed(new QkvError("load", `load: the worker does not run${reason}; ${advice}`));
  };
  try {
    return typeof Worker === "function" ? webWorker(receive, fail) : nodeWorker(receive, fail);
  } catch (error) {
    throw new QkvError("load", `load: no worker can be made: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function webWorker(receive: (reply: Reply) => void, fail: (reason: string) => void): WorkerPort {
  // Bundlers look for exactly this expression to find, and bundle, the script.
  const worker = new Worker(new URL("./worker-thread.js", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }: MessageEvent<Reply>) => receive(data);
  worker.onerror = (event) => {
    event.preventDefault();
    fail(event.message ? `: ${event.message}` : "");
  };
  return {
    post: (request) => worker.postMessage(request),
    hold: () => undefined,
    terminate: () => worker.terminate(),
  };
}

function nodeWorker(receive: (reply: Reply) => void, fail: (reason: string) => void): WorkerPort {
  const threads = nodeModule<WorkerThreads>("node:worker_threads");
  if (threads === undefined) throw new Error("neither the web's workers nor Node's are here");
  // Not written as above, where a bundler for the web would take the script for one more asset; nor
  // with an unknown name beside a bare import.meta.url, for which webpack takes the whole folder.
  const script = ["./worker-thread", "js"].join(".");
  const worker = new threads.Worker(new URL(script, String(import.meta.url)));
  worker.on("message", (reply) => receive(reply as Reply));
  worker.on("error", (error) => fail(`: ${messageOf(error)}`));
  worker.on("exit", () => fail(": it ended"));
  return {
    post: (request) => worker.postMessage(request),
    hold: (busy) => (busy ? worker.ref() : worker.unref()),
    terminate: () => worker.terminate(),
  };
}
