// Counts of the multiplications and additions in a block, and what of it is measured.
// Counting is not the core's work: nothing here is a tensor.
import type { Task } from "../measuring/wire";
import type { ShareState } from "./state";

/** Every number of queries times keys, and of weights times values: multiply and add, twice n²d. */
export const attentionCount = (n: number, d: number): number => 4 * n * n * d;

/** Four projections of d × d, and two layers of d × ratio·d. */
export const restCount = (n: number, d: number, ratio: number): number =>
  2 * (4 + 2 * ratio) * n * d * d;

export function share(n: number, { d, ratio }: Pick<ShareState, "d" | "ratio">): number {
  const attention = attentionCount(n, d);
  return attention / (attention + restCount(n, d, ratio));
}

/** The number of tokens at which attention costs as much as the rest. */
export const crossover = ({ d, ratio }: Pick<ShareState, "d" | "ratio">): number =>
  (4 + 2 * ratio) * (d / 2);

export const SIZES = [64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384] as const;
const MEASURED_TO = 2048;
const HEAD = 64;

export type Piece = "attention" | "linear";
export const idOf = (piece: Piece, n: number): string => `${piece} ${n}`;

export const tasks = ({ d, ratio }: ShareState): Task[] =>
  SIZES.filter((n) => n <= MEASURED_TO).flatMap((n): Task[] => [
    {
      id: idOf("attention", n),
      work: { kind: "attention", n, d, heads: d / HEAD },
      threads: 1,
      milliseconds: n < 1024 ? 150 : 600,
    },
    {
      id: idOf("linear", n),
      work: { kind: "linear", n, d, ratio },
      threads: 1,
      milliseconds: n < 1024 ? 150 : 600,
    },
  ]);
