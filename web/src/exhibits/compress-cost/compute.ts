// What fewer keys save: multiply-adds as the core's catalogue counts them, and what is measured.
import type { Calculator } from "../../lib/calculator";
import type { Task } from "../measuring/wire";
import type { CostState } from "./state";

export const KINDS = ["full", "matrix", "convolution"] as const;
export type Kind = (typeof KINDS)[number];

export interface Cost {
  readonly keys: number;
  /** Queries with keys, and weights with values. */
  readonly attention: number;
  /** Making the few keys and values. */
  readonly making: number;
}

/** The sum is the core's; its two parts are told apart by 2 N K d, which is what attention takes. */
export function costs(calculator: Calculator, { n, d, k, s }: CostState): Record<Kind, Cost> {
  const cost = (name: string, options: Record<string, number>) =>
    calculator.use(
      (core) =>
        core.mechanisms.find((mechanism) => mechanism.name === name)!.cost(n, d, options)
          .multiplyAdds,
    );
  const split = (keys: number, all: number): Cost => {
    const attention = 2 * n * keys * d;
    return { keys, attention, making: all - attention };
  };
  return {
    full: split(n, cost("attention", {})),
    matrix: split(k, cost("linformer", { keys: k })),
    convolution: split(Math.ceil(n / s), cost("compressed", { stride: s, kernelSize: s })),
  };
}

export const total = ({ attention, making }: Cost): number => attention + making;

export const SIZES = [64, 128, 256, 512, 1024, 2048, 4096] as const;

export const idOf = (kind: Kind, n: number): string => `${kind} ${n}`;

export const tasks = ({ d, k, s }: CostState): Task[] =>
  SIZES.flatMap((n) =>
    KINDS.map((kind): Task => ({
      id: idOf(kind, n),
      work:
        kind === "full"
          ? { kind: "attention", n, d, heads: 1 }
          : kind === "matrix"
            ? { kind: "linformer", n, d, keys: k }
            : { kind: "compressed", n, d, stride: s },
      threads: 1,
      milliseconds: n < 1024 ? 80 : n < 4096 ? 250 : 600,
    })),
  );
