// The trials that are running or have run, for one number of features at a time.
import { Trials } from "../../lib/trials.svelte";
import { CHUNK, TRIALS, type Chunk } from "./trials";

export const run = new Trials<number, Chunk>(
  () => new Worker(new URL("./trials-worker.ts", import.meta.url), { type: "module" }),
  TRIALS / CHUNK,
);
