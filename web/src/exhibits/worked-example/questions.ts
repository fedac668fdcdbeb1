// The questions of the chapter about one query, answered by the core.
import { Calculator } from "../../lib/calculator";
import { fromRows } from "../../lib/matrix";
import type { Question } from "../../lib/questions.svelte";
import { compute as normalized, codec as normalizers } from "../normalizers/normalizers";
import { compute, PLAIN } from "./compute";
import { NOTES } from "./presets";

export const QUESTIONS = [
  {
    id: "score",
    answer: (core) => compute(new Calculator(core), NOTES, PLAIN).scores.data[5]!,
    tolerance: 0.0005,
  },
  {
    id: "output",
    answer: (core) => {
      const query = fromRows([[0, 0, 0]]);
      const { key, value } = compute(new Calculator(core), NOTES, PLAIN);
      return new Calculator(core).attention(query, key, value, false).output.data[0]!;
    },
    tolerance: 0.006,
  },
  {
    id: "relu",
    answer: (core) => normalized(new Calculator(core), normalizers.initial).relu.data[1]!,
    tolerance: 0.005,
    share: true,
  },
  {
    id: "shift",
    answer: (core) => {
      const state = { ...normalizers.initial, shift: 10 };
      return normalized(new Calculator(core), state).softmax.data[0]!;
    },
    tolerance: 0.0006,
    share: true,
  },
] as const satisfies readonly Question[];
