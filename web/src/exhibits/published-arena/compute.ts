// The published table, ready to be drawn: the means are made anew from the five tasks.
import type { Calculator } from "../../lib/calculator";
import { filled, fromRows, type Matrix } from "../../lib/matrix";
import { BATCH, LENGTHS, MODELS, TASK_NAMES } from "./data";
import type { PublishedState } from "./state";

export interface Entry {
  readonly name: string;
  readonly score: number;
  /** Examples a second; null where the authors did not time it. */
  readonly speed: number | null;
  readonly memory: number | null;
}

export interface Published {
  readonly scores: Matrix;
  readonly means: Matrix;
  readonly entries: readonly Entry[];
}

export function compute(calculator: Calculator, { length, task }: PublishedState): Published {
  const scores = fromRows(MODELS.map((model) => model.scores));
  const means = calculator.dots(scores, filled(1, TASK_NAMES.length, 1), 1 / TASK_NAMES.length);
  const at = LENGTHS.indexOf(length);
  const entries = MODELS.map(({ name, scores: own, speed, memory }, i) => ({
    name,
    score: task === "mean" ? means.data[i]! : own[TASK_NAMES.indexOf(task)]!,
    speed: speed && BATCH * speed[at]!,
    memory: memory && memory[at]!,
  }));
  return { scores, means, entries };
}
