// The inputs: the same numbers for every contender, in whatever language it is written. A number is
// a hash of its place, so that arrays may be filled in any order.

// Mixes as murmur-like hashes do: multiply, shift, and again. 32 bits.
export function hash(place, seed) {
  let bits = Math.imul(place + 1, 0x9e3779b1) ^ Math.imul(seed, 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 15), 0x2c1b3c6d);
  bits = Math.imul(bits ^ (bits >>> 12), 0x297a2d39);
  return (bits ^ (bits >>> 15)) >>> 0;
}

// `count` numbers between -scale and scale; exact in float32 when the scale is a power of two. The
// scale of 2 gives scores of a standard deviation of 4/3.
export function numbers(count, seed, scale = 2) {
  const list = new Float32Array(count);
  for (let place = 0; place < count; ++place) {
    list[place] = ((hash(place, seed) >>> 8) / 2 ** 23 - 1) * scale;
  }
  return list;
}

export const SEEDS = { query: 1, key: 2, value: 3, bias: 4, layer: 5 };

// Weights of a layer, [out, in], and its biases. About Xavier's range for 768 features.
export const LAYER_SCALE = 1 / 16;
export const PROJECTIONS = ["q_proj", "k_proj", "v_proj", "out_proj"];

export function layerParameters(embed) {
  return PROJECTIONS.map((name, index) => ({
    name,
    weight: numbers(embed * embed, SEEDS.layer + 2 * index, LAYER_SCALE),
    bias: numbers(embed, SEEDS.layer + 2 * index + 1, LAYER_SCALE),
  }));
}
