// What peers add to the scores: a bias, or a mask as numbers, 0 for a key that may be seen and
// minus infinity for one that may not. It broadcasts to [batch, heads, queries, keys].
import { numbers, SEEDS } from "../numbers.mjs";
import { elements } from "../shapes.mjs";

// { of, shape } with the smallest shape that says all, or null.
export function addendOf({ query, key, mask, bias }) {
  if (bias) return { of: "bias", shape: bias };
  if (mask?.kind === "causal") return { of: "mask", shape: [1, 1, query.at(-2), key.at(-2)] };
  if (mask?.kind === "lengths") return { of: "mask", shape: [query[0], 1, 1, key.at(-2)] };
  return null;
}

// Its numbers for [batch, 1, queries, keys]; the queries may be 1 where all see the same keys.
export function addendNumbers({ mask, bias }, [batch, , queries, keys]) {
  if (bias) return numbers(elements(bias), SEEDS.bias);
  const end =
    mask.kind === "causal" ? (_, query) => query + mask.offset + 1 : (entry) => mask.key[entry];
  const list = new Float32Array(batch * queries * keys);
  for (let row = 0; row < batch * queries; ++row) {
    const from = row * keys + Math.min(end(Math.floor(row / queries), row % queries), keys);
    list.fill(-Infinity, from, (row + 1) * keys);
  }
  return list;
}
