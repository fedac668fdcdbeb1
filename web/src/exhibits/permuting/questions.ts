// The questions of the chapter about position, answered by the core.
import { Calculator } from "../../lib/calculator";
import type { Core } from "../../lib/core.svelte";
import { at } from "../../lib/matrix";
import type { Question } from "../../lib/questions.svelte";
import { compute as clocks } from "../binary-clock/compute";
import { compute as turned } from "../turning/compute";
import { codec as turning } from "../turning/state";

const sinusoidal = (core: Core) => new Calculator(core).sinusoidal(60, 32);

export const QUESTIONS = [
  { id: "flips", answer: (core) => clocks(new Calculator(core), 10000).flips[1]!, tolerance: 0 },
  {
    id: "distance",
    // Every row has the same product with itself.
    answer: (core) => at(new Calculator(core).dots(sinusoidal(core), sinusoidal(core)), 9, 9),
    tolerance: 0.01,
  },
  {
    id: "cosine",
    answer: (core) => at(turned(new Calculator(core), turning.initial).block, 0, 0),
    tolerance: 0.005,
  },
] as const satisfies readonly Question[];
