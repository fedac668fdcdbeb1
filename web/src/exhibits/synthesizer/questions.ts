// The questions of the chapter: the core mixes, and counts what is counted.
import { Calculator } from "../../lib/calculator";
import type { Core } from "../../lib/core.svelte";
import { fromRows } from "../../lib/matrix";
import { parametersOf, USUAL } from "../../lib/mixers";
import type { Question } from "../../lib/questions.svelte";
import { fnet } from "../fnet/compute";
import { compute } from "./compute";
import { codec } from "./state";

const denseRows = (core: Core): number =>
  compute(new Calculator(core), codec.initial).ways.dense.rows;

function corner(core: Core): number {
  const x = fromRows([
    [5, 1],
    [2, 3],
  ]);
  return fnet(new Calculator(core), x).data[3] ?? Number.NaN;
}

export const QUESTIONS = [
  { id: "rows", answer: denseRows, tolerance: 0, decimals: 0 },
  {
    id: "parameters",
    answer: () => parametersOf("random", 1024, 64, USUAL),
    tolerance: 0,
    decimals: 0,
  },
  { id: "corner", answer: corner, tolerance: 0, decimals: 0 },
  { id: "weights", answer: () => parametersOf("fnet", 4096, 64, USUAL), tolerance: 0, decimals: 0 },
] as const satisfies readonly Question[];
