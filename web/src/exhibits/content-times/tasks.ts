// What is measured: exact attention and those that choose their pairs by content.
import type { Task } from "../measuring/wire";

/** By their names in the core's catalogue. */
export const NAMES = ["attention", "top-k", "reformer", "routing", "clustered", "sinkhorn"] as const;
export type Name = (typeof NAMES)[number];

export const FEATURES = 64;
const LEAST_POWER = 8;

export const sizesUpTo = (power: number): number[] =>
  Array.from({ length: power - LEAST_POWER + 1 }, (_, i) => 2 ** (LEAST_POWER + i));

export const idOf = (name: Name, n: number): string => `${name} ${n}`;

export const tasks = (sizes: readonly number[]): Task[] =>
  sizes.flatMap((n) =>
    NAMES.map((name): Task => ({
      id: idOf(name, n),
      work: { kind: "mechanism", name, n, d: FEATURES },
      threads: 1,
      milliseconds: n < 1024 ? 60 : n < 4096 ? 150 : 400,
    })),
  );
