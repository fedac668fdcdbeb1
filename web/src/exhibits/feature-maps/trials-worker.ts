// The draws in a worker, one number of features after the other, so that the page goes on meanwhile.
import { load } from "qkv";
import type { TrialNews } from "../../lib/trials.svelte";
import { trial, TRIALS, type Outcome } from "./trials";

const tell = (news: TrialNews<Outcome>): void => postMessage(news);

addEventListener("message", () => void runAll());

async function runAll(): Promise<void> {
  try {
    const core = await load({ threads: 1 });
    for (const one of TRIALS) tell({ kind: "piece", piece: trial(core, one) });
  } catch (error) {
    tell({ kind: "failed", reason: error instanceof Error ? error.message : String(error) });
  }
}
