// Workers, whether of the web or of Node.
import { nodeModule } from "./engine.js";
import { messageOf } from "./errors.js";

/** Where a worker's script is, told in the two ways that are needed. */
export interface Script {
  /**
   * Starts it in the web's way, written out as `new Worker(new URL("./name.js", import.meta.url), {
   * type: "module" })`: bundlers look for exactly this expression to find, and bundle, the script.
   */
  web(): Worker;
  /** The same name, written differently, where a bundler would take the script for one more asset. */
  readonly name: string;
}

/** A running worker that takes messages of one kind. */
export interface WorkerPort<Message> {
  post(message: Message): void;
  /** Whether something is awaited: only then does the worker keep Node from ending. */
  hold(busy: boolean): void;
  terminate(): void;
}

interface NodeWorker {
  on(event: string, listener: (value: unknown) => void): void;
  postMessage(message: unknown): void;
  ref(): void;
  unref(): void;
  terminate(): void;
}

interface WorkerThreads {
  readonly Worker: new (script: URL, options: { readonly execArgv: readonly string[] }) => NodeWorker;
}

/** Starts a worker. `failed` is told why when it cannot start or ends by itself. */
export function startWorker<Message, Answer>(
  script: Script,
  receive: (answer: Answer) => void,
  failed: (reason: string) => void,
): WorkerPort<Message> {
  const threads = nodeModule<WorkerThreads>("node:worker_threads");
  if (threads !== undefined && !isWebPreferred()) {
    return nodeWorker(threads, script, receive, failed);
  }
  if (typeof Worker === "function") return webWorker(script, receive, failed);
  throw new Error("neither the web's workers nor Node's are here");
}

// Where both are to be had, the web's are taken in a page, and where they need not keep a program
// from ending: in Bun, but not in Deno.
function isWebPreferred(): boolean {
  return typeof Worker === "function" && ("document" in globalThis || "unref" in Worker.prototype);
}

function webWorker<Message, Answer>(
  script: Script,
  receive: (answer: Answer) => void,
  failed: (reason: string) => void,
): WorkerPort<Message> {
  const worker: Worker & Partial<Pick<NodeWorker, "ref" | "unref">> = script.web();
  worker.onmessage = ({ data }: MessageEvent<Answer>) => receive(data);
  worker.onerror = (event) => {
    event.preventDefault();
    failed(event.message ? `: ${event.message}` : "");
  };
  return {
    post: (message) => worker.postMessage(message),
    hold: (busy) => (busy ? worker.ref?.() : worker.unref?.()),
    terminate: () => worker.terminate(),
  };
}

function nodeWorker<Message, Answer>(
  threads: WorkerThreads,
  script: Script,
  receive: (answer: Answer) => void,
  failed: (reason: string) => void,
): WorkerPort<Message> {
  // With an unknown name beside a bare import.meta.url webpack would take the whole folder.
  const url = new URL(`./${script.name}.js`, String(import.meta.url));
  // The program's own flags may load more into each worker, or not suit a script in a file.
  const worker = new threads.Worker(url, { execArgv: [] });
  worker.on("message", (answer) => receive(answer as Answer));
  worker.on("error", (error) => failed(`: ${messageOf(error)}`));
  worker.on("exit", () => failed(": it ended"));
  return {
    post: (message) => worker.postMessage(message),
    hold: (busy) => (busy ? worker.ref() : worker.unref()),
    terminate: () => worker.terminate(),
  };
}
