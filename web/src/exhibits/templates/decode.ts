// Causal linear attention token by token, with a state handed on, and all at once.
import type { FeatureMap } from "qkv";
import type { Calculator } from "../../lib/calculator";
import { like } from "../../lib/feature-map";
import { filled, largest, matrix, selectRows, type Matrix } from "../../lib/matrix";
import { GIVEN, type QueryKeyValue } from "../../lib/query-key-value";
import type { Task } from "../measuring/wire";
import type { Map } from "./state";

/** Random vectors of the map "favor", as many rows as features. */
const RANDOM_VECTORS = 4;
const SEED = 1;
/** Long enough that errors would grow if there were any. */
export const LONG = { tokens: 64, features: 16 } as const;

/** The map of each token; with its own random vectors for each if they are drawn anew. */
function mapOf(calculator: Calculator, map: Map, anew: boolean, width: number) {
  if (map !== "favor") return (): FeatureMap => map;
  const projection = (seed: number) => like(calculator.normal(RANDOM_VECTORS, width, seed));
  const first = projection(SEED);
  return (token: number): FeatureMap => ({
    favor: { projection: anew ? projection(SEED + token) : first },
  });
}

export interface Step {
  readonly output: Matrix;
  /** What the token leaves to the next. */
  readonly state: Matrix;
}

export interface Decoded {
  readonly steps: readonly Step[];
  /** Row by row from the steps, and from one call for all tokens. */
  readonly outputs: Matrix;
  readonly atOnce: Matrix;
  readonly gap: number;
}

export function decode(
  calculator: Calculator,
  { query, key, value }: QueryKeyValue,
  map: Map,
  anew: boolean,
): Decoded {
  const featureMap = mapOf(calculator, map, anew, query.columns);
  const outputs = filled(query.rows, value.columns, 0);
  const steps: Step[] = [];
  for (let token = 0; token < query.rows; token += 1) {
    const [q, k, v] = [query, key, value].map((m) => like(selectRows(m, [token])));
    const before = steps.at(-1);
    const made = calculator.use((core) =>
      core.linearAttention(q!, k!, v!, {
        featureMap: featureMap(token),
        causal: true,
        ...(before ? { state: like(before.state) } : {}),
      }),
    );
    const [rows, columns] = made.state!.shape as [number, number];
    outputs.data.set(made.output.data, token * value.columns);
    steps.push({
      output: matrix(1, value.columns, made.output.data),
      state: matrix(rows, columns, made.state!.data),
    });
  }
  const { output } = calculator.use((core) =>
    core.linearAttention(like(query), like(key), like(value), {
      featureMap: featureMap(0),
      causal: true,
    }),
  );
  const atOnce = matrix(outputs.rows, outputs.columns, output.data);
  return { steps, outputs, atOnce, gap: largest(calculator.difference(outputs, atOnce)) };
}

export interface Decoding {
  readonly small: Decoded;
  readonly long: Decoded;
}

export function decoding(calculator: Calculator, map: Map, anew: boolean): Decoding {
  const draw = (seed: number) => calculator.normal(LONG.tokens, LONG.features, seed);
  const long = { query: draw(1), key: draw(2), value: draw(3) };
  return {
    small: decode(calculator, GIVEN, map, anew),
    long: decode(calculator, long, map, anew),
  };
}

/** What the new token adds: the state after it, less the state before. */
export function added(calculator: Calculator, { steps }: Decoded, token: number): Matrix {
  const { state } = steps[token]!;
  const before = steps[token - 1]?.state ?? filled(state.rows, state.columns, 0);
  return calculator.difference(state, before);
}

// What one more token costs, after so many.
export const LENGTHS = [64, 256, 1024, 4096, 16384] as const;
export const WIDTH = 64;
export const WAYS = ["decode-state", "decode-keys"] as const;
export type Way = (typeof WAYS)[number];
export const idOf = (way: Way, n: number): string => `${way} ${n}`;

export const TASKS: readonly Task[] = LENGTHS.flatMap((n) =>
  WAYS.map((way): Task => ({
    id: idOf(way, n),
    work: { kind: way, n, d: WIDTH },
    threads: 1,
    milliseconds: 150,
  })),
);

// Counted. Sums for every feature and value, and Σ φ; or every key and value so far.
export const stateSize = (features: number, dv: number): number => features * (dv + 1);
export const cacheSize = (n: number, d: number, dv: number): number => n * (d + dv);
