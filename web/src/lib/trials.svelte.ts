// Random trials in a worker that sends what it finds piece by piece and can be stopped.

export type TrialNews<Piece> =
  | { readonly kind: "piece"; readonly piece: Piece }
  | { readonly kind: "failed"; readonly reason: string };

export class Trials<Order, Piece> {
  phase = $state<"idle" | "running" | "finished" | "stopped" | "failed">("idle");
  /** What was asked for. */
  order = $state.raw<Order | null>(null);
  pieces = $state.raw<readonly Piece[]>([]);
  /** In the words of the core or the browser. */
  reason = $state("");
  readonly #open: () => Worker;
  readonly #count: number;
  #worker: Worker | undefined;

  /** `count`: the pieces after which it is done. */
  constructor(open: () => Worker, count: number) {
    this.#open = open;
    this.#count = count;
  }

  /** From 0 to 1. */
  get part(): number {
    return this.pieces.length / this.#count;
  }

  start(order: Order): void {
    this.#end("running");
    this.order = order;
    this.pieces = [];
    const worker = this.#open();
    this.#worker = worker;
    worker.onmessage = ({ data: news }: MessageEvent<TrialNews<Piece>>) => {
      // What was on its way when the reader stopped.
      if (worker !== this.#worker) return;
      if (news.kind === "failed") this.#fail(news.reason);
      else {
        this.pieces = [...this.pieces, news.piece];
        if (this.pieces.length === this.#count) this.#end("finished");
      }
    };
    worker.onerror = (event) => {
      event.preventDefault();
      if (worker === this.#worker) this.#fail(event.message);
    };
    worker.postMessage(order);
  }

  stop(): void {
    if (this.phase === "running") this.#end("stopped");
  }

  #fail(reason: string): void {
    this.#end("failed");
    this.reason = reason;
  }

  #end(phase: Trials<Order, Piece>["phase"]): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.phase = phase;
  }
}
