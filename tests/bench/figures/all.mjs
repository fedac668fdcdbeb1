// Figures that are no rounds of calls: each has `names` for `--only` and measure(context), which
// gives { results, ratios }, and one of them `mechanisms`, a report by itself. The context: what was `built`, the contenders that `--only` has
// `chosen`, an `opener` for them, whether the run is `quick`, and say(text) for what is going on.
import * as firstCall from "./first-call.mjs";
import * as load from "./load.mjs";
import * as mechanisms from "./mechanisms.mjs";
import * as sequence from "./sequence.mjs";
import * as transfer from "./transfer.mjs";
import * as worker from "./worker.mjs";

export const FIGURES = [load, firstCall, worker, transfer, sequence, mechanisms];
