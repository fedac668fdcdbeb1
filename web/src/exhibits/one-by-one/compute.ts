// The same attention twice: one call for each query, and one call for all of them.
import type { Calculator } from "../../lib/calculator";
import type { NamedTensor } from "../../lib/csv";
import { matrix, rowOf, type Matrix } from "../../lib/matrix";
import type { Task } from "../measuring/wire";
import type { WaysState } from "./state";

const WIDTH = 16;

export interface Inputs {
  readonly query: Matrix;
  readonly key: Matrix;
  readonly value: Matrix;
}

// Streams of the random numbers: no two inputs of any seed share one.
export function inputs(calculator: Calculator, { n, seed }: WaysState): Inputs {
  const draw = (stream: number) => calculator.normal(n, WIDTH, 3 * seed + stream);
  return { query: draw(0), key: draw(1), value: draw(2) };
}

export const inOneGo = (calculator: Calculator, { query, key, value }: Inputs): Matrix =>
  calculator.attention(query, key, value, true).output;

export function oneByOne(calculator: Calculator, { query, key, value }: Inputs): Matrix {
  const output = new Float32Array(query.rows * value.columns);
  for (let row = 0; row < query.rows; row += 1) {
    const one = matrix(1, query.columns, rowOf(query, row));
    output.set(calculator.attention(one, key, value, true).output.data, row * value.columns);
  }
  return matrix(query.rows, value.columns, output);
}

export function tensors(given: Inputs, outputs: { go: Matrix; loop: Matrix; gap: Matrix }) {
  const named = (name: string, { rows, columns, data }: Matrix): NamedTensor => ({
    name,
    shape: [rows, columns],
    data,
  });
  return [
    named("Q", given.query),
    named("K", given.key),
    named("V", given.value),
    named("O_one_by_one", outputs.loop),
    named("O_in_one_go", outputs.go),
    named("difference", outputs.gap),
  ];
}

export const SIZES = [16, 32, 64, 128, 256, 512, 1024, 2048] as const;
export const FEATURES = 64;

export type Way = "loop" | "go" | "threads";
export const idOf = (way: Way, n: number): string => `${way} ${n}`;

/** Short ones first, so that the curves grow from the left. */
export function tasks(threads: boolean): Task[] {
  const ways: readonly Way[] = threads ? ["loop", "go", "threads"] : ["loop", "go"];
  return SIZES.flatMap((n) =>
    ways.map((way): Task => ({
      id: idOf(way, n),
      work:
        way === "loop"
          ? { kind: "one-by-one", n, d: FEATURES }
          : { kind: "attention", n, d: FEATURES, heads: 1 },
      threads: way === "threads" ? "auto" : 1,
      milliseconds: n < 512 ? 120 : n < 2048 ? 400 : 900,
    })),
  );
}
