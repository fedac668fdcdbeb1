// Measuring on the reader's machine: a list of tasks, timed in a worker that can be stopped.
import type { Timing } from "../speed/sampling";
import type { News, Task } from "./wire";

export type Phase = "idle" | "running" | "finished" | "stopped" | "failed";

export class Run {
  phase = $state<Phase>("idle");
  /** From 0 to 1. */
  progress = $state(0);
  /** The task being timed. */
  current = $state.raw<string | null>(null);
  timings = $state.raw<ReadonlyMap<string, Timing>>(new Map());
  /** In the words of the core or the browser. */
  reason = $state("");
  #worker: Worker | undefined;

  /** Milliseconds of a call, or null while there is no measurement. */
  time(id: string): number | null {
    return this.timings.get(id)?.medianMs ?? null;
  }

  start(tasks: readonly Task[]): void {
    this.#end("running");
    this.timings = new Map();
    this.progress = 0;
    this.reason = "";
    const total = tasks.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
    const before = new Map<string, number>();
    let sum = 0;
    for (const { id, milliseconds } of tasks) {
      before.set(id, sum);
      sum += milliseconds;
    }
    const share = new Map(tasks.map(({ id, milliseconds }) => [id, milliseconds]));
    const worker = new Worker(new URL("./timing-worker.ts", import.meta.url), { type: "module" });
    this.#worker = worker;
    worker.onmessage = ({ data: news }: MessageEvent<News>) => {
      // What was on its way when the reader stopped.
      if (worker !== this.#worker) return;
      switch (news.kind) {
        case "step":
          this.current = news.id;
          this.progress = (before.get(news.id)! + share.get(news.id)! * news.part) / total;
          break;
        case "measured":
          this.timings = new Map(this.timings).set(news.id, news.timing);
          break;
        case "refused":
          this.reason = news.reason;
          break;
        case "failed":
          this.#end("failed");
          this.reason = news.reason;
          break;
        case "finished":
          this.progress = 1;
          this.#end("finished");
      }
    };
    worker.onerror = (event) => {
      event.preventDefault();
      if (worker !== this.#worker) return;
      this.#end("failed");
      this.reason = event.message;
    };
    // A plain copy: what is kept as state cannot be sent.
    worker.postMessage(tasks.map((task) => ({ ...task })));
  }

  stop(): void {
    if (this.phase === "running") this.#end("stopped");
  }

  #end(phase: Phase): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.current = null;
    this.phase = phase;
  }
}
