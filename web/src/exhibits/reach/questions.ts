// The questions of the chapter about sets of vectors, answered by the core.
import { Calculator } from "../../lib/calculator";
import type { Question } from "../../lib/questions.svelte";
import { compute as doors, FEATURES } from "../three-doors/compute";
import { codec as doorsCodec } from "../three-doors/state";
import { compute as same } from "../same-word/compute";
import { codec as sameCodec } from "../same-word/state";
import { compute as reach } from "./reach";

export const QUESTIONS = [
  {
    id: "frames",
    answer: (core) => {
      const state = { ...doorsCodec.initial, door: "sound", milliseconds: 1000 } as const;
      return doors(new Calculator(core), state).vectors.rows;
    },
    tolerance: 0,
  },
  {
    id: "weights",
    answer: (core) => {
      const calculator = new Calculator(core);
      const input = calculator.normal(9, FEATURES, 0);
      const query = calculator.normal(4, FEATURES, 1);
      return calculator.attention(query, input, input, true).weights.data.length;
    },
    tolerance: 0,
  },
  {
    id: "saw",
    answer: (core) => same(new Calculator(core), sameCodec.initial).distances!.attention,
    tolerance: 0,
  },
  {
    id: "layers",
    answer: (core) => reach(new Calculator(core), { radius: 2, layers: 4, token: 12 }).count,
    tolerance: 0,
  },
] as const satisfies readonly Question[];
