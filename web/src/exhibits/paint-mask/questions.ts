// The questions of the chapter, answered by the core.
import { Calculator } from "../../lib/calculator";
import type { Core } from "../../lib/core.svelte";
import { countOf, patternOf, type Pattern } from "../../lib/masks";
import { at } from "../../lib/matrix";
import type { Question } from "../../lib/questions.svelte";
import { compute as masked } from "../mask-softmax/compute";
import { codec as maskedCodec } from "../mask-softmax/state";
import { reachOf } from "../mask-reach/compute";
import { codec as reachCodec } from "../mask-reach/state";

const pairs = (core: Core, pattern: Pattern, size: number, n: number) =>
  countOf(new Calculator(core), patternOf(pattern, size), n).pairs;

export const QUESTIONS = [
  {
    id: "zero",
    answer: (core) => {
      const state = { ...maskedCodec.initial, way: "zero" } as const;
      return at(masked(new Calculator(core), state).weights, 0, 0);
    },
    tolerance: 0.0005,
    share: true,
    decimals: 4,
  },
  { id: "local", answer: (core) => pairs(core, "local", 2, 100), tolerance: 0, decimals: 0 },
  { id: "global", answer: (core) => pairs(core, "global", 3, 64), tolerance: 0, decimals: 0 },
  {
    id: "reach",
    answer: (core) => {
      const state = { ...reachCodec.initial, length: 40, r: 3 };
      return at(reachOf(new Calculator(core), ["local"], state)[0]!.byChange, 39, 0);
    },
    tolerance: 0,
    decimals: 0,
  },
] as const satisfies readonly Question[];
