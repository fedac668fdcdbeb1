// Thousands of trials in a worker, a hundred at a time, so that the page goes on meanwhile.
import { load } from "qkv";
import type { TrialNews } from "../../lib/trials.svelte";
import { chunk, CHUNK, TRIALS, type Chunk } from "./trials";

const tell = (news: TrialNews<Chunk>): void => postMessage(news);

addEventListener("message", ({ data }: MessageEvent<number>) => void runAll(data));

async function runAll(dim: number): Promise<void> {
  try {
    const core = await load({ threads: 1 });
    for (let seed = 1; seed <= TRIALS / CHUNK; seed += 1) {
      tell({ kind: "piece", piece: chunk(core, dim, seed) });
    }
  } catch (error) {
    tell({ kind: "failed", reason: error instanceof Error ? error.message : String(error) });
  }
}
