// Multiplications of the two orders, and what of them is measured. Counting is plain arithmetic:
// nothing here is a tensor.
import type { Task } from "../measuring/wire";
import type { Sizes } from "./state";

/** n² scores of d products each, then n² weights times d′ features. */
export const scoresFirstCount = ({ n, d, dv }: Sizes): number => (d + dv) * n * n;

/** n keys of d features times d′, then n queries times the same. */
export const keysFirstCount = ({ n, d, dv }: Sizes): number => 2 * d * dv * n;

export const ratio = (sizes: Sizes): number => scoresFirstCount(sizes) / keysFirstCount(sizes);

/** The number of tokens at which both orders cost the same. */
export const crossover = ({ d, dv }: Pick<Sizes, "d" | "dv">): number => (2 * d * dv) / (d + dv);

export const LENGTHS = [16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384] as const;
/** Beyond this the matrix of scores takes more memory than a page should ask for. */
const MEASURED_TO = 4096;

export const PIECES = ["scores", "sum", "keys"] as const;
export type Piece = (typeof PIECES)[number];
export const idOf = (piece: Piece, n: number): string => `${piece} ${n}`;

export const tasks = ({ d, dv }: Sizes): Task[] =>
  LENGTHS.filter((n) => n <= MEASURED_TO).flatMap((n) =>
    PIECES.map((piece): Task => ({
      id: idOf(piece, n),
      work:
        piece === "keys"
          ? { kind: "linear-attention", n, d, dv }
          : { kind: piece, n, d: piece === "scores" ? d : dv },
      threads: 1,
      milliseconds: n < 1024 ? 60 : 250,
    })),
  );
