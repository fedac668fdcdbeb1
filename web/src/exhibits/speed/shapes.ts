// The calls that can be measured again on the reader's machine: the benchmark's own shapes, with
// the benchmark's own numbers.
import { elements, GROUPS } from "../../../../tests/bench/shapes.mjs";
import { numbers, SEEDS } from "../../../../tests/bench/numbers.mjs";

export interface Shape {
  readonly name: string;
  readonly query: readonly number[];
  readonly key: readonly number[];
  readonly value: readonly number[];
  readonly mask?: { readonly kind: "causal"; readonly offset: number };
  /** What a call computes; see the benchmark. */
  readonly flops: number;
}

// Each with its part of the time: long calls need more of it for as many samples.
const PARTS: Readonly<Record<string, number>> = {
  "3x3": 1,
  small: 1,
  bert: 2,
  causal: 4,
  long: 7,
  decode: 3,
};

const total = Object.values(PARTS).reduce((sum, part) => sum + part, 0);

export interface Task {
  readonly shape: Shape;
  /** Its part of all the time, from 0 to 1. */
  readonly part: number;
}

export const TASKS: readonly Task[] = Object.entries(PARTS).map(([name, part]) => ({
  shape: (GROUPS as readonly (readonly Shape[])[]).flat().find((shape) => shape.name === name)!,
  part: part / total,
}));

/** Sizes of a shape of the benchmark; null for what is no plain attention call. */
export function shapeNamed(name: string): Shape | null {
  const shapes = (GROUPS as readonly (readonly Shape[])[]).flat();
  const found = shapes.find((shape) => shape.name === name);
  return found?.key ? found : null;
}

/** The seeded numbers of an input. */
export function input(shape: Shape, name: "query" | "key" | "value") {
  const size = shape[name];
  return { data: numbers(elements(size), SEEDS[name]), shape: size };
}
