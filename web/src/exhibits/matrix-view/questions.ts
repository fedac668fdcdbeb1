// The questions of the chapter, answered by the core.
import { Calculator } from "../../lib/calculator";
import type { Core } from "../../lib/core.svelte";
import { at } from "../../lib/matrix";
import type { Question } from "../../lib/questions.svelte";
import { compute } from "./compute";
import { codec } from "./state";

const view = (core: Core, identity = false) =>
  compute(new Calculator(core), { ...codec.initial, identity });

export const QUESTIONS = [
  { id: "cell", answer: (core) => at(view(core).output, 1, 1), tolerance: 0.005 },
  { id: "same", answer: (core) => at(view(core, true).scores, 1, 1), tolerance: 0 },
  {
    // n queries of 64 features with n keys: as many scores as n has pairs.
    id: "scores",
    answer: (core) =>
      core.maskStats(
        { kind: "window" },
        { queryLength: 2048, keyLength: 2048 },
      ).pairs,
    tolerance: 0,
  },
] as const satisfies readonly Question[];
