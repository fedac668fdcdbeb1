// What can be timed on the reader's machine: pieces of attention and of a transformer's block, each
// made of calls of the core's public interface.
import type { Mask, Qkv, TensorData } from "qkv";
import { numbers } from "../../../../tests/bench/numbers.mjs";
import { mix, shapesOf, USUAL, type Mixer } from "../../lib/mixers";

export type Work =
  /** One call for all queries. */
  | { readonly kind: "attention"; readonly n: number; readonly d: number; readonly heads: number }
  /** Under a mask that the kernel follows, or added as 0 and -Infinity to every score. */
  | {
      readonly kind: "masked";
      readonly n: number;
      readonly d: number;
      readonly mask: Mask;
      readonly as: "mask" | "bias";
    }
  /** One call for each query. */
  | { readonly kind: "one-by-one"; readonly n: number; readonly d: number }
  /** The three steps of attention, each by itself and with its n × n matrix in memory. */
  | { readonly kind: "scores" | "softmax" | "sum"; readonly n: number; readonly d: number }
  /** The same product from the other side, Q (KᵀV): no n × n matrix. */
  | {
      readonly kind: "linear-attention";
      readonly n: number;
      readonly d: number;
      /** Features of a value. */
      readonly dv: number;
    }
  /** One more token after n: from the sums of all before it, or from all their keys and values. */
  | { readonly kind: "decode-state" | "decode-keys"; readonly n: number; readonly d: number }
  /** What attention is compared with: a convolution of k places, and a recurrence. */
  | { readonly kind: "conv"; readonly n: number; readonly d: number; readonly k: number }
  | { readonly kind: "rnn"; readonly n: number; readonly d: number }
  /** Attention over few keys: all tokens mixed by a matrix, or windows by a convolution. */
  | { readonly kind: "linformer"; readonly n: number; readonly d: number; readonly keys: number }
  | { readonly kind: "compressed"; readonly n: number; readonly d: number; readonly stride: number }
  /** A way to mix tokens, with matrices of the usual widths that are drawn before the clock starts. */
  | { readonly kind: "mixer"; readonly mixer: Mixer; readonly n: number; readonly d: number }
  /** A mechanism of the catalogue, as it runs by itself. */
  | { readonly kind: "mechanism"; readonly name: string; readonly n: number; readonly d: number }
  /** What a block of a transformer has beside attention: four projections and two wider ones. */
  | { readonly kind: "linear"; readonly n: number; readonly d: number; readonly ratio: number };

export interface Prepared {
  readonly call: () => void;
  readonly dispose: () => void;
}

/** The inputs are in the core's memory before the clock starts. */
export function prepare(qkv: Qkv, work: Work): Prepared {
  const held: { dispose(): void }[] = [];
  const hold = (data: TensorData) => {
    const made = qkv.tensor(data);
    held.push(made);
    return made;
  };
  const tensor = (seed: number, ...shape: number[]) => {
    const size = shape.reduce((product, length) => product * length, 1);
    return hold({ data: numbers(size, seed), shape });
  };
  return { call: callOf(qkv, work, tensor, hold), dispose: () => held.forEach((one) => one.dispose()) };
}

type Held = ReturnType<Qkv["tensor"]>;
type Make = (seed: number, ...shape: number[]) => Held;
type Hold = (data: TensorData) => Held;

function callOf(qkv: Qkv, work: Work, tensor: Make, hold: Hold): () => void {
  const { n, d } = work;
  switch (work.kind) {
    case "attention": {
      const shape = [work.heads, n, d / work.heads];
      const [query, key, value] = [tensor(1, ...shape), tensor(2, ...shape), tensor(3, ...shape)];
      const out = new Float32Array(n * d);
      return () => void qkv.attention(query, key, value, { out });
    }
    case "masked": {
      const [query, key, value] = [tensor(1, n, d), tensor(2, n, d), tensor(3, n, d)];
      const out = new Float32Array(n * d);
      if (work.as === "mask") {
        const { mask } = work;
        return () => void qkv.attention(query, key, value, { mask, out });
      }
      const allowed = qkv.maskMatrix(work.mask, { queryLength: n, keyLength: n }).data;
      const bias = hold({ data: allowed.map((cell) => (cell === 1 ? 0 : -Infinity)), shape: [n, n] });
      return () => void qkv.attention(query, key, value, { bias, out });
    }
    case "one-by-one": {
      const query = numbers(n * d, 1);
      const [key, value] = [tensor(2, n, d), tensor(3, n, d)];
      const out = new Float32Array(d);
      return () => {
        for (let i = 0; i < n; i += 1) {
          const one = { data: query.subarray(i * d, (i + 1) * d), shape: [1, d] };
          qkv.attention(one, key, value, { out });
        }
      };
    }
    case "scores": {
      const [query, key] = [tensor(1, n, d), tensor(2, n, d)];
      return () => void qkv.linear(query, key);
    }
    case "softmax": {
      // Queries and keys of one feature that is 0 leave the bias as the only score.
      const [nothing, bias] = [qkvZeros(qkv, n), tensor(4, n, n)];
      return () => {
        qkv.attention(nothing, nothing, nothing, { bias, returns: { weights: true } });
      };
    }
    case "sum": {
      const [weights, value] = [tensor(4, n, n), tensor(3, d, n)];
      return () => void qkv.linear(weights, value);
    }
    case "linear-attention": {
      const [query, key, value] = [tensor(1, n, d), tensor(2, n, d), tensor(3, n, work.dv)];
      return () => void qkv.linearAttention(query, key, value, { featureMap: "identity" });
    }
    case "decode-state": {
      const [query, key, value] = [tensor(1, n, d), tensor(2, n, d), tensor(3, n, d)];
      const { state } = qkv.linearAttention(query, key, value, { causal: true });
      const one = tensor(4, 1, d);
      return () => void qkv.linearAttention(one, one, one, { causal: true, state });
    }
    case "decode-keys": {
      const [key, value, one] = [tensor(2, n, d), tensor(3, n, d), tensor(4, 1, d)];
      return () => void qkv.attention(one, key, value);
    }
    case "conv": {
      const [x, weight] = [tensor(1, n, d), tensor(2, d, d, work.k)];
      return () => void qkv.conv1d(x, weight);
    }
    case "rnn": {
      const [x, input, hidden] = [tensor(1, n, d), tensor(2, d, d), tensor(3, d, d)];
      return () => void qkv.rnn(x, input, hidden);
    }
    case "linformer": {
      const [query, key, value] = [tensor(1, n, d), tensor(2, n, d), tensor(3, n, d)];
      const keyProjection = tensor(4, work.keys, n);
      return () => void qkv.linformer(query, key, value, { keyProjection });
    }
    case "compressed": {
      const { stride } = work;
      const [query, key, value] = [tensor(1, n, d), tensor(2, n, d), tensor(3, n, d)];
      const [keyKernel, valueKernel] = [tensor(4, d, d, stride), tensor(5, d, d, stride)];
      const options = { stride, kernelSize: stride, keyKernel, valueKernel };
      return () => void qkv.compressedAttention(query, key, value, options);
    }
    case "mixer": {
      const { mixer } = work;
      const shapes = Object.entries(shapesOf(mixer, n, d, USUAL));
      const matrices = Object.fromEntries(
        shapes.map(([name, shape], i) => [name, tensor(2 + i, ...shape)]),
      );
      const x = tensor(1, n, d);
      return () => void mix(qkv, mixer, x, matrices);
    }
    case "mechanism": {
      const mechanism = qkv.mechanisms.find(({ name }) => name === work.name);
      if (!mechanism) throw new Error(`The catalogue has no ${work.name}.`);
      const x = tensor(1, n, d);
      const weights = mechanism.draw(n, d);
      return () => void mechanism.run(x, {}, weights);
    }
    case "linear": {
      const wide = work.ratio * d;
      const x = tensor(1, n, d);
      const square = tensor(2, d, d);
      const [up, down] = [tensor(3, wide, d), tensor(4, d, wide)];
      return () => {
        for (let made = 0; made < 4; made += 1) qkv.linear(x, square);
        qkv.linear(qkv.linear(x, up), down);
      };
    }
  }
}

const qkvZeros = (qkv: Qkv, n: number) =>
  qkv.tensor({ data: new Float32Array(n), shape: [n, 1] });
