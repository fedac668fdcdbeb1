// One mask for each head, in one call of the core: pairs, their union, and what it changes.
import { mask, type Mask } from "qkv";
import type { Calculator } from "../../lib/calculator";
import type { NamedTensor } from "../../lib/csv";
import { countOf, everything, patternOf, pictureOf } from "../../lib/masks";
import { largest, matrix, type Matrix } from "../../lib/matrix";
import { isPattern, TOKENS, type HeadMask, type HeadsState } from "./state";

const FEATURES = 4;
const SEED = 31;

/** A random pattern is drawn anew in every head. */
function maskOf({ kind, size }: HeadMask, head: number): Mask {
  if (isPattern(kind)) return patternOf(kind, size, head + 1);
  return kind === "causal" ? mask.causal() : everything;
}

export interface Heads {
  readonly pictures: readonly Matrix[];
  readonly pairs: readonly number[];
  /** In how many heads each pair is seen. */
  readonly seenBy: Matrix;
  readonly sum: number;
  readonly union: number;
  /** Of all outputs, beside those of heads that see everything. */
  readonly worst: number;
  readonly weights: Float32Array;
  readonly output: Float32Array;
}

export function compute(calculator: Calculator, { heads }: HeadsState): Heads {
  const masks = heads.map(maskOf);
  const count = heads.length;
  const pictures = masks.map((of) => pictureOf(calculator, of, TOKENS));
  const seenBy = matrix(TOKENS, TOKENS, new Float32Array(TOKENS * TOKENS));
  for (const { data } of pictures) data.forEach((cell, i) => (seenBy.data[i]! += cell));
  const { data } = calculator.normal(count * TOKENS, FEATURES, SEED);
  const x = { data, shape: [count, TOKENS, FEATURES] };
  const perHead = mask.perHead(masks);
  const full = calculator.use((core) => core.attention(x, x, x)).output;
  const made = calculator.use((core) =>
    core.attention(x, x, x, { mask: perHead, returns: { weights: true } }),
  );
  const flat = (from: Float32Array) => matrix(count * TOKENS, FEATURES, from);
  return {
    pictures,
    pairs: masks.map((of) => countOf(calculator, of, TOKENS).pairs),
    seenBy,
    sum: countOf(calculator, perHead, TOKENS, count).pairs,
    union: countOf(calculator, mask.or(...masks), TOKENS).pairs,
    worst: largest(calculator.difference(flat(made.output.data), flat(full.data))),
    weights: made.weights.data,
    output: made.output.data,
  };
}

export function tensors(made: Heads): NamedTensor[] {
  const count = made.pictures.length;
  return [
    ...made.pictures.map(({ data }, head) => ({
      name: `mask_${head + 1}`,
      shape: [TOKENS, TOKENS],
      data,
    })),
    { name: "A", shape: [count, TOKENS, TOKENS], data: made.weights },
    { name: "O", shape: [count, TOKENS, FEATURES], data: made.output },
  ];
}
