// Measuring on the reader's machine: one worker after the other, one for each way to compute.
import type { Timing } from "./sampling";
import { TASKS } from "./shapes";
import type { Configuration, News, Order } from "./wire";

export interface Measured {
  readonly shape: string;
  readonly variant: Configuration["variant"];
  readonly threads: number;
  /** Null where the call was refused; then there is a reason. */
  readonly timing: Timing | null;
  readonly reason?: string;
}

export interface Current {
  readonly shape: string;
  readonly variant: Configuration["variant"];
  readonly threads: number;
}

export type Phase = "idle" | "running" | "finished" | "stopped" | "failed";

class Measurement {
  phase = $state<Phase>("idle");
  /** From 0 to 1. */
  progress = $state(0);
  current = $state.raw<Current | null>(null);
  measured = $state.raw<readonly Measured[]>([]);
  /** In the words of the core or the browser. */
  reason = $state("");
  #worker: Worker | undefined;

  /** Measures everything in each of these ways, in about so many seconds together. */
  start(configurations: readonly Configuration[], seconds: number): void {
    this.#end("running");
    this.measured = [];
    this.progress = 0;
    this.reason = "";
    this.#next(configurations, 0, (1000 * seconds) / configurations.length);
  }

  stop(): void {
    if (this.phase === "running") this.#end("stopped");
  }

  #next(configurations: readonly Configuration[], index: number, milliseconds: number): void {
    const configuration = configurations[index];
    if (!configuration) {
      this.#end("finished");
      return;
    }
    const { variant } = configuration;
    const share = (part: number) => (index + part) / configurations.length;
    let threads = 1;
    const worker = new Worker(new URL("./measuring-worker.ts", import.meta.url), {
      type: "module",
    });
    this.#worker = worker;
    const add = (shape: string, timing: Timing | null, reason?: string) => {
      const entry = { shape, variant, threads, timing };
      this.measured = [...this.measured, reason === undefined ? entry : { ...entry, reason }];
      this.progress = share(partUpTo(shape, true));
    };
    worker.onmessage = ({ data: news }: MessageEvent<News>) => {
      // What was on its way when the reader stopped.
      if (worker !== this.#worker) return;
      switch (news.kind) {
        case "loaded":
          threads = news.threads;
          break;
        case "step":
          this.current = { shape: news.shape, variant, threads };
          this.progress = share(partUpTo(news.shape, false) + news.part);
          break;
        case "measured":
          add(news.shape, news.timing);
          break;
        case "refused":
          add(news.shape, null, news.reason);
          break;
        case "failed":
          this.#fail(news.reason);
          break;
        case "finished":
          worker.terminate();
          this.#next(configurations, index + 1, milliseconds);
      }
    };
    worker.onerror = (event) => {
      event.preventDefault();
      if (worker === this.#worker) this.#fail(event.message);
    };
    worker.postMessage({ ...configuration, milliseconds } satisfies Order);
  }

  #fail(reason: string): void {
    this.#end("failed");
    this.reason = reason;
  }

  #end(phase: Phase): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.current = null;
    this.phase = phase;
  }
}

/** Which part of the time lies before a shape, or before the next. */
function partUpTo(name: string, included: boolean): number {
  const index = TASKS.findIndex(({ shape }) => shape.name === name);
  return TASKS.slice(0, index + (included ? 1 : 0)).reduce((sum, { part }) => sum + part, 0);
}

export const measurement = new Measurement();
