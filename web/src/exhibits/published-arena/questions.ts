// The questions of the chapter: the published numbers, and counts of the core's catalogue.
import { Calculator } from "../../lib/calculator";
import type { Core } from "../../lib/core.svelte";
import type { Question } from "../../lib/questions.svelte";
import { compute } from "./compute";
import { MODELS } from "./data";
import { codec } from "./state";

const named = (name: string) => MODELS.findIndex((model) => model.name === name);

const mean = (core: Core, name: string) =>
  compute(new Calculator(core), codec.initial).means.data[named(name)]!;

function count(core: Core, name: string, n: number): number {
  const mechanism = core.mechanisms.find((one) => one.name === name);
  if (!mechanism) throw new Error(`The catalogue has no ${name}.`);
  return mechanism.cost(n, 64).multiplyAdds;
}

export const QUESTIONS = [
  { id: "mean", answer: (core) => mean(core, "Sinkhorn Transformer"), tolerance: 0.006, decimals: 2 },
  {
    id: "faster",
    answer: () => MODELS[named("Performer")]!.speed![3] / MODELS[named("Transformer")]!.speed![3],
    tolerance: 0.06,
    decimals: 1,
  },
  {
    id: "memory",
    answer: () => MODELS[0]!.memory![3] / MODELS[0]!.memory![0],
    tolerance: 0.06,
    decimals: 1,
  },
  {
    id: "grows",
    answer: (core) => count(core, "attention", 2048) / count(core, "attention", 512),
    tolerance: 0,
    decimals: 0,
  },
] as const satisfies readonly Question[];
