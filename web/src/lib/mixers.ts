// Ways to mix tokens, by name: the matrices each has, and its call of the core. Biases and norms are
// left at what the core takes where none are given.
import type { Qkv, Tensor, TensorLike } from "qkv";

export const MIXERS = [
  "attention",
  "random",
  "factorized",
  "dense",
  "fnet",
  "mlp-mixer",
  "gmlp",
] as const;
export type Mixer = (typeof MIXERS)[number];

/** Hidden widths, by the names that the core's catalogue has for them. */
export interface Widths {
  /** Of the dense Synthesizer. */
  readonly hidden: number;
  /** Of the factorised one. */
  readonly rank: number;
  /** Of the MLP-Mixer. */
  readonly tokenHidden: number;
  readonly channelHidden: number;
  /** Of the gate of gMLP. */
  readonly features: number;
}

/** The catalogue's own widths. */
export const USUAL: Widths = {
  hidden: 32,
  rank: 32,
  tokenHidden: 256,
  channelHidden: 256,
  features: 128,
};

/** Rows and columns of the matrices, for n tokens of d features. */
export function shapesOf(
  mixer: Mixer,
  n: number,
  d: number,
  widths: Widths,
): Readonly<Record<string, readonly [rows: number, columns: number]>> {
  const { hidden, rank, tokenHidden, channelHidden, features } = widths;
  switch (mixer) {
    case "attention":
      return { query: [d, d], key: [d, d] };
    case "random":
      return { scores: [n, n] };
    case "factorized":
      return { left: [n, rank], right: [rank, n] };
    case "dense":
      return { weight1: [hidden, d], weight2: [n, hidden] };
    case "fnet":
      return {};
    case "mlp-mixer":
      return {
        tokenWeight1: [tokenHidden, n],
        tokenWeight2: [n, tokenHidden],
        channelWeight1: [channelHidden, d],
        channelWeight2: [d, channelHidden],
      };
    case "gmlp":
      return { inWeight: [2 * features, d], spatialWeight: [n, n], outWeight: [d, features] };
  }
}

/** Numbers in the matrices. Counting is not the core's work. */
export const parametersOf = (mixer: Mixer, n: number, d: number, widths: Widths): number =>
  Object.values(shapesOf(mixer, n, d, widths)).reduce((sum, [a, b]) => sum + a * b, 0);

/** x mixed, with matrices of the names and shapes above. Values are x itself. */
export function mix(
  qkv: Qkv,
  mixer: Mixer,
  x: TensorLike,
  matrices: Readonly<Record<string, TensorLike>>,
): Tensor {
  // The names are those of `shapesOf`, and the same one there and here.
  const get = (name: string): TensorLike => matrices[name]!;
  switch (mixer) {
    case "attention":
      return qkv.attention(qkv.linear(x, get("query")), qkv.linear(x, get("key")), x).output;
    case "random":
      return qkv.synthesizer(x, x, { random: get("scores") }).output;
    case "factorized": {
      const factorized = { left: get("left"), right: get("right") };
      return qkv.synthesizer(x, x, { factorized }).output;
    }
    case "dense": {
      const dense = { weight1: get("weight1"), weight2: get("weight2") };
      return qkv.synthesizer(x, x, { dense }).output;
    }
    case "fnet":
      return qkv.fnet(x).output;
    case "mlp-mixer":
      return qkv.mlpMixer(x, {
        tokenWeight1: get("tokenWeight1"),
        tokenWeight2: get("tokenWeight2"),
        channelWeight1: get("channelWeight1"),
        channelWeight2: get("channelWeight2"),
      }).output;
    case "gmlp":
      return qkv.gmlp(x, {
        inWeight: get("inWeight"),
        spatialWeight: get("spatialWeight"),
        outWeight: get("outWeight"),
      }).output;
  }
}
