import type { Runtime } from "./runtime.js";
import type { Tensor } from "./tensor.js";
import type { TensorLike } from "./tensor-like.js";

/** A whole number that a mechanism can be run with. */
export interface MechanismParameter {
  readonly name: string;
  /** Unless another is given. */
  readonly value: number;
  /** Smaller ones are refused. */
  readonly least: number;
}

/** What a mechanism does to leading order, for one head. */
export interface MechanismCost {
  readonly multiplyAdds: number;
  /** Working memory beyond the input and the result. */
  readonly bytes: number;
}

/** Numbers by the names of a mechanism's parameters. */
export type MechanismOptions = Readonly<Record<string, number | undefined>>;

/** What the catalogue says of a mechanism. */
export interface MechanismFacts {
  /** As in `"sparse-transformer"`. */
  readonly name: string;
  readonly title: string;
  readonly paper: string;
  readonly year: number;
  readonly family:
    | "exact"
    | "pattern"
    | "content"
    | "fewer keys"
    | "reordered"
    | "query-free"
    | "mixer"
    | "picking"
    | "baseline";
  /** The same as exact attention under the mechanism's own mask. */
  readonly exact: boolean;
  /** Has a form in which no token sees a later one. */
  readonly causal: boolean;
  /** Formulas for one head of n tokens of d features. */
  readonly complexity: { readonly time: string; readonly memory: string };
  /** What implementations get wrong or leave unsaid. */
  readonly trap: string;
  readonly parameters: readonly MechanismParameter[];
}

/** An entry of the catalogue. Its functions throw `QkvError` `"argument"`, `"shape"` or `"memory"`. */
export interface Mechanism extends MechanismFacts {
  /**
   * Runs it with x as query, key and value; weights are drawn from the parameter `seed`.
   *
   * @param x [..., n, d]
   */
  run(x: TensorLike, options?: MechanismOptions): { output: Tensor };
  cost(n: number, d: number, options?: MechanismOptions): MechanismCost;
  /**
   * Ones where query i may see key j and zeros elsewhere, [n, n]. Absent where the pairs depend on the
   * input, or where there are none.
   */
  pattern?(n: number, options?: MechanismOptions): Tensor;
}

/** @internal */
export function bindMechanisms(runtime: Runtime): readonly Mechanism[] {
  const { json } = runtime.run("mechanisms", []);
  const list = JSON.parse(json as string) as (MechanismFacts & { pattern: boolean })[];
  return Object.freeze(
    list.map(({ pattern, ...facts }) => {
      const { name } = facts;
      const functions: Pick<Mechanism, "run" | "cost" | "pattern"> = {
        run: (x, options) => ({
          output: runtime.runForTensor("mechanism.run", [name, x, options]),
        }),
        cost: (n, d, options) =>
          runtime.run("mechanism.cost", [name, n, d, options]) as unknown as MechanismCost,
      };
      if (pattern) {
        functions.pattern = (n, options) =>
          runtime.runForTensor("mechanism.pattern", [name, n, options]);
      }
      return Object.freeze({ ...facts, ...functions });
    }),
  );
}
