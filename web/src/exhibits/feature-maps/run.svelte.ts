// The draws that are running or have run; they are the same for every reader.
import { Trials } from "../../lib/trials.svelte";
import { TRIALS, type Outcome } from "./trials";

export const run = new Trials<null, Outcome>(
  () => new Worker(new URL("./trials-worker.ts", import.meta.url), { type: "module" }),
  TRIALS.length,
);
