// The questions of the chapter: pairs come from the core, the rest is counted.
import { Calculator } from "../../lib/calculator";
import type { Core } from "../../lib/core.svelte";
import type { Question } from "../../lib/questions.svelte";
import { crossover, share } from "../share/compute";
import { compute } from "./compute";

const mebibytes = (core: Core, power: number) =>
  compute(new Calculator(core), power).bytes / 2 ** 20;

export const QUESTIONS = [
  { id: "size", answer: (core) => mebibytes(core, 13), tolerance: 0, decimals: 0 },
  { id: "crossing", answer: () => crossover({ d: 768, ratio: 4 }), tolerance: 0, decimals: 0 },
  {
    id: "long",
    answer: () => share(4096, { d: 512, ratio: 4 }),
    tolerance: 0.005,
    share: true,
    decimals: 3,
  },
] as const satisfies readonly Question[];
