// The questions of the chapter, answered by the core.
import { mask } from "qkv";
import { Calculator } from "../../lib/calculator";
import { at } from "../../lib/matrix";
import type { Question } from "../../lib/questions.svelte";
import { compute as convolve } from "../convolution/compute";
import { codec as convolution } from "../convolution/state";
import { convolutionPath } from "../layers-compared/compute";

export const QUESTIONS = [
  {
    id: "window",
    answer: (core) =>
      core.maskStats(mask.window({ left: 10, right: 10 }), { queryLength: 500, keyLength: 500 })
        .pairs,
    tolerance: 0,
    decimals: 0,
  },
  {
    id: "kernel",
    answer: (core) => at(convolve(new Calculator(core), convolution.initial).convolved, 0, 2),
    tolerance: 0,
  },
  {
    id: "path",
    answer: (core) => convolutionPath(new Calculator(core), { n: 5, d: 1, k: 3 }),
    tolerance: 0,
  },
] as const satisfies readonly Question[];
