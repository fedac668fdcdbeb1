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

/** Tensors by the names of a mechanism's weights. */
export type MechanismWeights = Readonly<Record<string, TensorLike>>;

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
  /** What a model would have learned: named as the options of the mechanism's own function are. */
  readonly weights: readonly string[];
}

/** An entry of the catalogue. Its functions throw `QkvError` `"argument"`, `"shape"` or `"memory"`. */
export interface Mechanism extends MechanismFacts {
  /**
   * Runs it with x as query, key and value.
   *
   * @param x [..., n, d]
   * @param weights by the names in `weights`, as `draw` gives them; drawn anew in each call where
   *   none are given, which can take longer than the mechanism
   */
  run(x: TensorLike, options?: MechanismOptions, weights?: MechanismWeights): { output: Tensor };
  /**
   * Draws weights for n tokens of d features from the parameter `seed`: once, as a model is trained
   * once. They stay in WebAssembly's memory until they are disposed.
   */
  draw(n: number, d: number, options?: MechanismOptions): Readonly<Record<string, Tensor>>;
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
      const functions: Pick<Mechanism, "run" | "draw" | "cost" | "pattern"> = {
        run: (x, options, weights) => ({
          output: runtime.runForTensor("mechanism.run", [name, x, options, weights]),
        }),
        draw: (n, d, options) => runtime.runResident("mechanism.draw", [name, n, d, options]),
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
