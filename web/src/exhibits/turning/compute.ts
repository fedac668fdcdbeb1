// A step of some positions as a rotation of each pair of columns.
import type { Calculator } from "../../lib/calculator";
import type { NamedTensor } from "../../lib/csv";
import { at, fromRows, largest, matrix, rowOf, type Matrix } from "../../lib/matrix";
import { DIM, LENGTH, type TurnState } from "./state";

export interface Turned {
  /** The block of the rotation that belongs to the pair, 2 × 2. */
  readonly block: Matrix;
  /** Sine and cosine at the start, where the step leads, and what the block makes of the start. */
  readonly start: Matrix;
  readonly end: Matrix;
  readonly made: Matrix;
  /** Largest difference over all positions and columns. */
  readonly worst: number;
  readonly rotation: Matrix;
}

export function compute(calculator: Calculator, { from, delta, pair }: TurnState): Turned {
  const table = (offset: number) =>
    matrix(
      LENGTH,
      DIM,
      calculator.use((core) => core.position.sinusoidal({ length: LENGTH, dim: DIM, offset })).data,
    );
  const [here, there] = [table(0), table(delta)];
  const rotation = calculator.rotation(delta, DIM);
  const turned = calculator.dots(here, rotation);
  const block = fromRows(
    [0, 1].map((row) => [0, 1].map((column) => at(rotation, 2 * pair + row, 2 * pair + column))),
  );
  const ofPair = (m: Matrix) => matrix(2, 1, rowOf(m, from).slice(2 * pair, 2 * pair + 2));
  return {
    block,
    start: ofPair(here),
    end: ofPair(there),
    made: ofPair(turned),
    worst: largest(calculator.difference(turned, there)),
    rotation,
  };
}

export function tensors({ rotation, block, start, end }: Turned): NamedTensor[] {
  return [
    { name: "rotation", shape: [DIM, DIM], data: rotation.data },
    { name: "block", shape: [2, 2], data: block.data },
    { name: "start", shape: [2, 1], data: start.data },
    { name: "end", shape: [2, 1], data: end.data },
  ];
}
