// What is measured: the sizes, masks and biases of attention calls, and two probes of the machine.
//
// A shape is plain data, the same for every contender:
//   name                what results and `--only` call it
//   query, key, value   the shapes of the inputs; their numbers are those of numbers.mjs
//   mask                as qkv.mask describes it
//   bias                the shape of a bias that is added to the scores
//   layer               { embed, heads }: multi-head attention with its projections, on `query`
//   arrays              the inputs are plain arrays, not tensors that are resident already
//   probe               "fma", "copy" or "read": a property of the machine instead of a call
//   flops               what a call computes: 4 * pairs * D for attention, without the softmax
//   bytes               what a call has to read at least, where memory is what limits it
//   ours                no peer has a comparable operation
import { hash } from "./numbers.mjs";

const FLOAT = 4;

export function attention(
  name,
  [batch, heads, queries, keys, width],
  { kvHeads = heads, ...extra } = {},
) {
  const shape = {
    name,
    query: [batch, heads, queries, width],
    key: [batch, kvHeads, keys, width],
    value: [batch, kvHeads, keys, width],
    ...extra,
  };
  return { ...shape, flops: 4 * pairs(shape) * width };
}

function decode(name, kvHeads, extra) {
  const shape = attention(name, [1, 32, 1, 2048, 128], { kvHeads, ...extra });
  return { ...shape, bytes: 2 * kvHeads * 2048 * 128 * FLOAT };
}

function layer(name, [batch, length, embed], heads) {
  const scores = 4 * batch * length ** 2 * embed;
  const projections = 4 * 2 * batch * length * embed ** 2;
  return {
    name,
    query: [batch, length, embed],
    layer: { embed, heads },
    flops: scores + projections,
  };
}

// Allowed pairs, over all heads and batch entries.
function pairs({ query: [batch, heads, queries], key: [, , keys], mask }) {
  const all = batch * heads;
  switch (mask?.kind) {
    case undefined:
      return all * queries * keys;
    case "causal":
      return (all * queries * (queries + 1)) / 2;
    case "window":
      return all * (queries * (2 * mask.left + 1) - mask.left * (mask.left + 1));
    case "blocks":
      return all * mask.pairs.length * mask.size ** 2;
    case "lengths":
      return heads * queries * mask.key.reduce((sum, length) => sum + length, 0);
    default:
      throw new Error(`pairs of the mask "${mask.kind}" are not known here`);
  }
}

// Big Bird's pattern, Zaheer et al. 2020: the first two blocks see and are seen by all, a block
// sees itself and its neighbours, and three more by chance.
export function bigBirdBlocks(count) {
  const seen = new Set();
  const add = (query, key) => {
    if (key >= 0 && key < count) seen.add(query * count + key);
  };
  for (let block = 0; block < count; ++block) {
    for (const wide of [0, 1]) {
      add(wide, block);
      add(block, wide);
    }
    for (const step of [-1, 0, 1]) add(block, block + step);
    for (let draw = 0; draw < 3; ++draw) add(block, hash(3 * block + draw, 9) % count);
  }
  return [...seen].sort((a, b) => a - b).map((pair) => [Math.floor(pair / count), pair % count]);
}

const LONG_SEQUENCE = [1, 1, 8192, 8192, 64];
const window = { kind: "window", left: 256, right: 256 };
const blocks = { kind: "blocks", size: 64, pairs: bigBirdBlocks(8192 / 64) };

// Shapes of one group are measured in the same rounds, so that they may be compared.
export const GROUPS = [
  [
    attention("small", [1, 4, 64, 64, 32]),
    attention("small-arrays", [1, 4, 64, 64, 32], { arrays: true }),
  ],
  [
    { name: "3x3", query: [3, 3], key: [3, 3], value: [3, 3], flops: 4 * 9 * 3 },
    {
      name: "3x3-arrays",
      query: [3, 3],
      key: [3, 3],
      value: [3, 3],
      flops: 4 * 9 * 3,
      arrays: true,
    },
  ],
  [
    attention("bert", [1, 12, 512, 512, 64]),
    attention("bias", [1, 12, 512, 512, 64], { bias: [1, 1, 512, 512] }),
  ],
  [
    attention("lengths", [4, 12, 512, 512, 64], {
      mask: { kind: "lengths", key: [512, 400, 130, 65] },
    }),
  ],
  [
    attention("long", [1, 8, 2048, 2048, 64]),
    attention("causal", [1, 8, 2048, 2048, 64], { mask: { kind: "causal", offset: 0 } }),
    { name: "fma", probe: "fma" },
  ],
  [attention("wide", [1, 8, 1024, 1024, 128])],
  [
    decode("decode", 32),
    decode("decode-grouped", 8),
    decode("decode-arrays", 32, { arrays: true }),
    { name: "copy", probe: "copy" },
    { name: "read", probe: "read" },
  ],
  [
    attention("full-8192", LONG_SEQUENCE, { ours: true }),
    attention("window-8192", LONG_SEQUENCE, { mask: window, ours: true }),
    attention("blocks-8192", LONG_SEQUENCE, { mask: blocks, ours: true }),
  ],
  [layer("layer", [1, 512, 768], 12)],
];

export const elements = (shape) => shape.reduce((product, size) => product * size, 1);
