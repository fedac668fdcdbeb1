// How many stacked layers it takes until one token is felt at another, found twice: by a search in
// the picture of the mask, and by a change that is really sent through calls of attention.
import { mask, type Mask } from "qkv";
import type { Calculator } from "../../lib/calculator";
import { everything, patternOf, pictureOf } from "../../lib/masks";
import { at, filled, identity, type Matrix } from "../../lib/matrix";
import { MASKS, type ReachMask, type ReachState } from "./state";

const FEATURES = 8;
const SEED = 12;
/** What is never reached. */
export const NEVER = Number.POSITIVE_INFINITY;

export function maskOf(name: ReachMask, { r, s, g, k, luck }: ReachState): Mask {
  const local = patternOf("local", r);
  switch (name) {
    case "full":
      return everything;
    case "causal":
      return mask.causal();
    case "local":
      return local;
    case "stride":
      return patternOf("stride", s);
    case "localStride":
      return mask.or(local, patternOf("stride", s));
    case "global":
      return patternOf("global", g);
    case "longformer":
      return mask.or(local, patternOf("global", g));
    case "localRandom":
      return mask.or(local, patternOf("random", k, luck));
  }
}

/** Layers from the token of the column to that of the row; NEVER where there is no way. */
export type Layers = Matrix;

/**
 * Breadth first from every token: in a layer, what a key knows comes to all queries that see it,
 * and what a token knew before stays with it. Walking a picture is not the core's work.
 */
export function searched(seen: Matrix): Layers {
  const n = seen.rows;
  const tokens = Array.from({ length: n }, (_, i) => i);
  const seers = tokens.map((key) => tokens.filter((query) => at(seen, query, key) === 1));
  const layers = filled(n, n, NEVER);
  for (const from of tokens) {
    let edge = [from];
    layers.data[from * n + from] = 0;
    for (let layer = 1; edge.length > 0; layer += 1) {
      const next: number[] = [];
      for (const query of edge.flatMap((key) => seers[key]!)) {
        if (layers.data[query * n + from] !== NEVER) continue;
        layers.data[query * n + from] = layer;
        next.push(query);
      }
      edge = next;
    }
  }
  return layers;
}

/**
 * Every token's value is a change of its own: a 1 in its own feature. Attention is linear in its
 * values, so what comes out is how far the change of each token has moved every output. The inputs
 * are added, as a transformer's layer does. Only whether something has arrived is kept from layer
 * to layer: after many of them it would be too small for 32-bit numbers. The masks run side by
 * side, one head each, until nothing new arrives.
 */
export function sent(calculator: Calculator, masks: readonly Mask[], n: number): Layers[] {
  const { data } = calculator.normal(n, FEATURES, SEED);
  const runs = masks.map((of) => ({
    of,
    known: identity(n).data,
    layers: filled(n, n, NEVER),
  }));
  let going = runs;
  for (let layer = 0; ; layer += 1) {
    going = going.filter(({ known, layers }) => note(known, layers, layer));
    if (going.length === 0) return runs.map(({ layers }) => layers);
    const value = stacked(going.map(({ known }) => known), n);
    // The same tokens in every head.
    const x = { data, shape: [going.length, n, FEATURES], strides: [0, FEATURES, 1] };
    const { data: arrived } = calculator.use((core) =>
      core.attention(x, x, value, { mask: mask.perHead(going.map(({ of }) => of)) }),
    ).output;
    going.forEach(({ known }, head) => {
      const moved = arrived.subarray(head * n * n, (head + 1) * n * n);
      for (let i = 0; i < moved.length; i += 1) if (moved[i] !== 0) known[i] = 1;
    });
  }
}

/** Writes the layer down where something has arrived for the first time; false where nothing has. */
function note(known: Float32Array, layers: Layers, layer: number): boolean {
  let fresh = false;
  for (let i = 0; i < known.length; i += 1) {
    if (known[i] === 0 || layers.data[i] !== NEVER) continue;
    layers.data[i] = layer;
    fresh = true;
  }
  return fresh;
}

function stacked(heads: readonly Float32Array[], n: number) {
  const data = new Float32Array(heads.length * n * n);
  heads.forEach((head, i) => data.set(head, i * n * n));
  return { data, shape: [heads.length, n, n] };
}

/** The layers that the farthest pair needs. */
const farthest = (layers: Layers): number => layers.data.reduce((a, b) => Math.max(a, b), 0);

export interface Reach {
  readonly name: ReachMask;
  readonly bySearch: Layers;
  readonly byChange: Layers;
  /** Cells in which the two differ. */
  readonly differ: number;
  readonly farthest: { readonly bySearch: number; readonly byChange: number };
}

/** For each of these masks. */
export function reachOf(
  calculator: Calculator,
  names: readonly ReachMask[],
  state: ReachState,
): Reach[] {
  const masks = names.map((name) => maskOf(name, state));
  const sents = sent(calculator, masks, state.length);
  return names.map((name, i) => {
    const bySearch = searched(pictureOf(calculator, masks[i]!, state.length));
    const byChange = sents[i]!;
    return {
      name,
      bySearch,
      byChange,
      differ: bySearch.data.filter((layers, cell) => layers !== byChange.data[cell]).length,
      farthest: { bySearch: farthest(bySearch), byChange: farthest(byChange) },
    };
  });
}

export const compute = (calculator: Calculator, state: ReachState): Reach[] =>
  reachOf(calculator, MASKS, state);

/**
 * The spreading of one token, layer by layer: 1 where a token has just been reached, 2 where it had
 * been before.
 */
export function spreading({ byChange }: Reach, from: number): Matrix {
  const n = byChange.rows;
  const times = Array.from({ length: n }, (_, to) => at(byChange, to, from));
  const last = times.reduce((a, b) => (b === NEVER ? a : Math.max(a, b)), 0);
  const result = filled(last + 1, n, 0);
  for (let layer = 0; layer <= last; layer += 1) {
    times.forEach((time, to) => {
      if (time <= layer) result.data[layer * n + to] = time === layer ? 1 : 2;
    });
  }
  return result;
}
