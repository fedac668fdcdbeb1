// How far a token sees through layers of attention with a window: found by changing one token and
// looking which outputs change.
import { mask } from "qkv";
import type { Calculator } from "../../lib/calculator";
import type { Codec } from "../../lib/codec";
import { number, writeNumber } from "../../lib/entries";
import { at, filled, rowOf, withCell, type Matrix } from "../../lib/matrix";

export const TOKENS = 24;
const FEATURES = 8;
const SEED = 21;

export const LIMITS = {
  radius: { least: 0, most: 8, step: 1 },
  layers: { least: 1, most: 8, step: 1 },
  token: { least: 1, most: TOKENS, step: 1 },
} as const;

export type ReachState = Readonly<Record<keyof typeof LIMITS, number>>;

const initial: ReachState = { radius: 2, layers: 3, token: 12 };
const NAMES = Object.keys(LIMITS) as (keyof typeof LIMITS)[];

export const codec: Codec<ReachState> = {
  initial,
  write: (state) =>
    Object.fromEntries(NAMES.map((name) => [name, writeNumber(state[name], initial[name])])),
  read: (entry) =>
    Object.fromEntries(
      NAMES.map((name) => [name, number(entry(name), LIMITS[name], initial[name])]),
    ) as ReachState,
};

export interface Reach {
  /** Squared change of each token's vector, one row for the input and for every layer. */
  readonly change: Matrix;
  /** 1 where there is any change at all. */
  readonly touched: Matrix;
  /** How many tokens the last layer's change reaches. */
  readonly count: number;
}

export function compute(calculator: Calculator, { radius, layers, token }: ReachState): Reach {
  const change = filled(layers + 1, TOKENS, 0);
  const touched = filled(layers + 1, TOKENS, 0);
  let plain = calculator.normal(TOKENS, FEATURES, SEED);
  const own = plain.data[(token - 1) * FEATURES] ?? 0;
  let moved = withCell(plain, { row: token - 1, column: 0 }, own > 0 ? -2 : 2);
  const window = mask.window({ left: radius, right: radius });
  const layer = (x: Matrix) => calculator.attend(x, x, x, { mask: window }).output;
  for (let row = 0; row <= layers; row += 1) {
    if (row > 0) [plain, moved] = [layer(plain), layer(moved)];
    const gap = calculator.difference(plain, moved);
    // Every row with every row; the squares are on the diagonal.
    const products = calculator.dots(gap, gap);
    for (let t = 0; t < TOKENS; t += 1) {
      const differs = rowOf(gap, t).some((value) => value !== 0);
      touched.data[row * TOKENS + t] = differs ? 1 : 0;
      change.data[row * TOKENS + t] = at(products, t, t);
    }
  }
  return { change, touched, count: rowOf(touched, layers).filter((value) => value === 1).length };
}
