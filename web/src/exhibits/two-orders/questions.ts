// The questions of the chapter: answered by the core, but for the crossing, which is counted.
import { Calculator } from "../../lib/calculator";
import type { Core } from "../../lib/core.svelte";
import { sumsOf } from "../../lib/feature-map";
import { at, matrix } from "../../lib/matrix";
import { GIVEN } from "../../lib/query-key-value";
import type { Question } from "../../lib/questions.svelte";
import { kernel } from "../shared-sums/compute";
import { compute } from "./compute";
import { crossover } from "./counts";

/** How many numbers 1000 tokens of 32 features leave behind. */
function stateOf(core: Core): number {
  const tokens = matrix(1000, 32, new Float32Array(1000 * 32));
  return sumsOf(new Calculator(core), tokens, tokens, "elu").joined.data.length;
}

export const QUESTIONS = [
  {
    id: "cell",
    answer: (core) => at(compute(new Calculator(core), GIVEN).keysFirst, 1, 1),
    tolerance: 0,
  },
  { id: "crossing", answer: () => crossover({ d: 64, dv: 192 }), tolerance: 0 },
  {
    id: "weight",
    answer: (core) => at(kernel(new Calculator(core), GIVEN, "elu").weights, 1, 1),
    tolerance: 0.005,
    share: true,
  },
  { id: "state", answer: stateOf, tolerance: 0 },
] as const satisfies readonly Question[];
