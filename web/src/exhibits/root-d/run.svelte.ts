// The trials that are running or have run, for one number of features at a time.
import { CHUNK, TRIALS, type Chunk } from "./trials";
import type { TrialNews } from "./trials-worker";

class Run {
  phase = $state<"idle" | "running" | "finished" | "stopped" | "failed">("idle");
  dim = $state(0);
  chunks = $state.raw<readonly Chunk[]>([]);
  /** In the words of the core or the browser. */
  reason = $state("");
  readonly part = $derived((this.chunks.length * CHUNK) / TRIALS);
  #worker: Worker | undefined;

  start(dim: number): void {
    this.#end("running");
    this.dim = dim;
    this.chunks = [];
    const worker = new Worker(new URL("./trials-worker.ts", import.meta.url), { type: "module" });
    this.#worker = worker;
    worker.onmessage = ({ data: news }: MessageEvent<TrialNews>) => {
      if (worker !== this.#worker) return;
      if (news.kind === "failed") this.#fail(news.reason);
      else {
        this.chunks = [...this.chunks, news.chunk];
        if (this.part === 1) this.#end("finished");
      }
    };
    worker.onerror = (event) => {
      event.preventDefault();
      if (worker === this.#worker) this.#fail(event.message);
    };
    worker.postMessage(dim);
  }

  stop(): void {
    if (this.phase === "running") this.#end("stopped");
  }

  #fail(reason: string): void {
    this.#end("failed");
    this.reason = reason;
  }

  #end(phase: Run["phase"]): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.phase = phase;
  }
}

export const run = new Run();
