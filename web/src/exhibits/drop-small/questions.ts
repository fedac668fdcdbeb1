// The questions of the chapter, answered by the core.
import { Calculator } from "../../lib/calculator";
import { at } from "../../lib/matrix";
import type { Question } from "../../lib/questions.svelte";
import { pairsOfGroups } from "../clusters/compute";
import { compute as normalise } from "../sinkhorn/compute";
import { codec as sinkhorn } from "../sinkhorn/state";
import { compute } from "./compute";
import { codec } from "./state";

const EQUAL = Array.from({ length: 24 }, (_, token) => token % 4);

export const QUESTIONS = [
  {
    id: "mass",
    answer: (core) => at(compute(new Calculator(core), { ...codec.initial, k: 1 }).mass, 0, 0),
    tolerance: 0.005,
    share: true,
  },
  {
    id: "second",
    answer: (core) => at(compute(new Calculator(core), { ...codec.initial, k: 2 }).output, 0, 1),
    tolerance: 0,
    decimals: 0,
  },
  {
    id: "pairs",
    answer: (core) => pairsOfGroups(new Calculator(core), EQUAL, EQUAL),
    tolerance: 0,
    decimals: 0,
  },
  {
    id: "round",
    answer: (core) => {
      const scores = sinkhorn.initial.scores[2];
      const { sorting } = normalise(new Calculator(core), { scores, tau: 1, rounds: 1 });
      return at(sorting, 0, 0);
    },
    tolerance: 0.005,
    decimals: 2,
  },
  {
    id: "cold",
    answer: (core) => {
      const scores = sinkhorn.initial.scores[4];
      const { choice } = normalise(new Calculator(core), { scores, tau: 0.1, rounds: 40 });
      return choice[0]! + 1;
    },
    tolerance: 0,
    decimals: 0,
  },
] as const satisfies readonly Question[];
