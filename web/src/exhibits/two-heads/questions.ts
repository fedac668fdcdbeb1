// The questions of the chapter, answered by the core.
import { Calculator } from "../../lib/calculator";
import type { Core } from "../../lib/core.svelte";
import { at } from "../../lib/matrix";
import type { Question } from "../../lib/questions.svelte";
import { compute as layerOf, prepare } from "../d2l-layer/compute";
import { codec as layerCodec, type LayerState } from "../d2l-layer/state";
import { compute } from "./compute";
import { GIVEN } from "./state";

/** The weight that query 1 gives to key 3 in the first of so many heads. */
function lookOfOne(core: Core, count: number): number {
  const { heads } = compute(new Calculator(core), GIVEN, count);
  return at(heads[0]!.weights, 0, 2);
}

function layer(core: Core, change: Partial<LayerState>) {
  const state = { ...layerCodec.initial, ...change };
  const prepared = prepare(core, state.heads);
  if ("refused" in prepared) throw new Error(prepared.refused);
  const made = layerOf(new Calculator(core), prepared, state);
  prepared.layer.dispose();
  return made;
}

export const QUESTIONS = [
  { id: "first", answer: (core) => lookOfOne(core, 2), tolerance: 0.005, share: true },
  { id: "one", answer: (core) => lookOfOne(core, 1), tolerance: 0.005, share: true },
  {
    id: "valid",
    answer: (core) => at(layer(core, { sequence: "2" }).shownWeights[0]!, 0, 1),
    tolerance: 0.001,
    share: true,
  },
  { id: "parameters", answer: (core) => layer(core, { heads: 20 }).parameterCount, tolerance: 0 },
] as const satisfies readonly Question[];
