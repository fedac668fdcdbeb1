// Every mechanism of the core's catalogue: what it says it costs, and the tasks that time it.
import type { Calculator } from "../../lib/calculator";
import type { Core } from "../../lib/core.svelte";
import { matrix, type Matrix } from "../../lib/matrix";
import type { Task } from "../measuring/wire";

export const SIZES = [128, 256, 512, 1024] as const;
export const FEATURES = 64;
export const LARGEST = SIZES.at(-1)!;

export interface Costs {
  readonly multiplyAdds: Matrix;
  readonly bytes: Matrix;
}

export function compute(calculator: Calculator): Costs {
  const all = calculator.use((core) =>
    core.mechanisms.map((mechanism) => SIZES.map((n) => mechanism.cost(n, FEATURES))),
  );
  const table = (of: "multiplyAdds" | "bytes") =>
    matrix(all.length, SIZES.length, all.flat().map((cost) => cost[of]));
  return { multiplyAdds: table("multiplyAdds"), bytes: table("bytes") };
}

export const idOf = (name: string, n: number): string => `${name} ${n}`;

export const tasks = (core: Core): Task[] =>
  core.mechanisms.flatMap(({ name }) =>
    SIZES.map((n): Task => ({
      id: idOf(name, n),
      work: { kind: "mechanism", name, n, d: FEATURES },
      threads: 1,
      milliseconds: n < LARGEST ? 50 : 120,
    })),
  );
