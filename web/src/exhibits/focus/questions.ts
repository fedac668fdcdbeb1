// The questions of the chapter about what attention is, answered by the core.
import type { Normalizer } from "qkv";
import { Calculator } from "../../lib/calculator";
import type { Core } from "../../lib/core.svelte";
import { filled, fromRows } from "../../lib/matrix";
import type { Question } from "../../lib/questions.svelte";
import { PAIRS } from "../three-stages/state";

const one = fromRows([[1]]);

function attend(core: Core, scores: readonly number[], normalizer: Normalizer) {
  const keys = fromRows(scores.map((score) => [score]));
  return new Calculator(core).attend(one, keys, keys, { score: "dot", normalizer });
}

export const QUESTIONS = [
  {
    id: "even",
    answer: (core) => {
      const keys = filled(64, 1, 0);
      const { weights } = new Calculator(core).attend(one, keys, keys, { score: "dot" });
      return weights.data[0]!;
    },
    tolerance: 0.0003,
    share: true,
    decimals: 6,
  },
  {
    id: "two",
    answer: (core) => attend(core, [2, 4], "softmax").weights.data[1]!,
    tolerance: 0.006,
    share: true,
  },
  {
    id: "cosine",
    answer: (core) => {
      const { query, key, value } = PAIRS.notes;
      return new Calculator(core).attend(query, key, value, { score: "cosine" }).scores.data[0]!;
    },
    tolerance: 0.006,
  },
  {
    id: "hard",
    answer: (core) => attend(core, [3, 5, 4], "hard").output.data[0]!,
    tolerance: 0.0005,
  },
] as const satisfies readonly Question[];
