// Thousands of trials in a worker, a hundred at a time, so that the page goes on meanwhile.
import { load } from "qkv";
import { chunk, CHUNK, TRIALS, type Chunk } from "./trials";

export type TrialNews =
  | { readonly kind: "chunk"; readonly chunk: Chunk }
  | { readonly kind: "failed"; readonly reason: string };

const tell = (news: TrialNews): void => postMessage(news);

addEventListener("message", ({ data }: MessageEvent<number>) => void runAll(data));

async function runAll(dim: number): Promise<void> {
  try {
    const core = await load({ threads: 1 });
    for (let seed = 1; seed <= TRIALS / CHUNK; seed += 1) {
      tell({ kind: "chunk", chunk: chunk(core, dim, seed) });
    }
  } catch (error) {
    tell({ kind: "failed", reason: error instanceof Error ? error.message : String(error) });
  }
}
