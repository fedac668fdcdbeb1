// The few things the exhibits compute, each as a call of the core's public interface. The page
// itself multiplies and adds nothing: x W is `linear`, and every row with every row is what
// attention calls its scores.
import type { AttentionOptions } from "qkv";
import type { Core } from "./core.svelte";
import { filled, matrix, transposed, type Matrix } from "./matrix";

export interface Attention {
  readonly scores: Matrix;
  readonly weights: Matrix;
  readonly output: Matrix;
}

const like = ({ rows, columns, data }: Matrix) => ({ data, shape: [rows, columns] });

export class Calculator {
  readonly #core: Core;
  /** Calls of the core so far, for the line that says how a figure was made. */
  calls = 0;

  constructor(core: Core) {
    this.#core = core;
  }

  /** The core, for one call. */
  #call(): Core {
    this.calls += 1;
    return this.#core;
  }

  /** Any one call of the core that the methods below do not cover. */
  use<T>(call: (core: Core) => T): T {
    return call(this.#call());
  }

  /** Every row of `a` with every row of `b`: a bᵀ, times `scale`. */
  dots(a: Matrix, b: Matrix, scale = 1): Matrix {
    const { scores } = this.#call().attention(like(a), like(b), like(filled(b.rows, 1, 0)), {
      score: "dot",
      scale,
      returns: { scores: true },
    });
    return matrix(a.rows, b.rows, scores!.data);
  }

  /** The matrix product a b. */
  product(a: Matrix, b: Matrix): Matrix {
    // `linear` takes a weight as [outputs, inputs]; b is read that way through its strides.
    const weight = { data: b.data, shape: [b.columns, b.rows], strides: [1, b.columns] };
    return matrix(a.rows, b.columns, this.#call().linear(like(a), weight).data);
  }

  /** With the scores divided by √d (true), as they are (false), or times a factor. */
  attention(query: Matrix, key: Matrix, value: Matrix, scaled: boolean | number): Attention {
    const { output, weights, scores } = this.#call().attention(
      like(query),
      like(key),
      like(value),
      {
        score: scaled === true ? "scaledDot" : "dot",
        ...(typeof scaled === "number" ? { scale: scaled } : {}),
        returns: { weights: true, scores: true },
      },
    );
    return {
      scores: matrix(query.rows, key.rows, scores!.data),
      weights: matrix(query.rows, key.rows, weights!.data),
      output: matrix(query.rows, value.columns, output.data),
    };
  }

  /** Attention with any of the core's options. */
  attend(
    query: Matrix,
    key: Matrix,
    value: Matrix,
    options: Omit<AttentionOptions, "returns" | "out">,
  ): Attention {
    const { output, weights, scores } = this.#call().attention(
      like(query),
      like(key),
      like(value),
      { ...options, returns: { weights: true, scores: true } },
    );
    return {
      scores: matrix(query.rows, key.rows, scores!.data),
      weights: matrix(query.rows, key.rows, weights!.data),
      output: matrix(query.rows, value.columns, output.data),
    };
  }

  /** For each key j, the column j of the weights times the row j of the values. */
  weighted(weights: Matrix, value: Matrix): Matrix[] {
    const { rows: queries, columns: keys } = weights;
    const width = value.columns;
    const { scores } = this.#call().attention(
      { data: transposed(weights).data, shape: [keys, queries, 1] },
      { data: value.data, shape: [keys, width, 1] },
      { data: new Float32Array(keys * width), shape: [keys, width, 1] },
      { score: "dot", returns: { scores: true } },
    );
    const size = queries * width;
    return Array.from({ length: keys }, (_, key) =>
      matrix(queries, width, scores!.data.subarray(key * size, (key + 1) * size)),
    );
  }

  /** The products a₁b₁, a₂b₂, … that a dot product adds up. */
  terms(a: Float32Array, b: Float32Array): Float32Array {
    const shape = [a.length, 1, 1];
    const { scores } = this.#call().attention(
      { data: a, shape },
      { data: b, shape },
      { data: new Float32Array(a.length), shape },
      { score: "dot", returns: { scores: true } },
    );
    return scores!.data;
  }

  /** a - b, entry by entry. */
  difference(a: Matrix, b: Matrix): Matrix {
    const pairs = transposed({ rows: 2, columns: a.data.length, data: joined(a.data, b.data) });
    return matrix(a.rows, a.columns, this.dots(pairs, matrix(1, 2, [1, -1])).data);
  }

  /** The sum of each row. */
  rowSums(m: Matrix): Matrix {
    return this.dots(m, filled(1, m.columns, 1));
  }

  /** Numbers drawn from a normal distribution of deviation 0.02; the same for the same seed. */
  random(rows: number, columns: number, seed: number): Matrix {
    const { data } = this.#call().position.learned({ length: rows, dim: columns, seed });
    return matrix(rows, columns, data);
  }

  /** The same numbers as `random`, of deviation 1. */
  normal(rows: number, columns: number, seed: number): Matrix {
    const { data } = this.random(rows, columns, seed);
    const flat = matrix(data.length, 1, data);
    return matrix(rows, columns, this.dots(flat, matrix(1, 1, [50])).data);
  }

  sinusoidal(length: number, dim: number): Matrix {
    const { data } = this.#call().position.sinusoidal({ length, dim });
    return matrix(length, dim, data);
  }

  /** The matrix that moves every row of the sinusoidal table by `delta` positions. */
  rotation(delta: number, dim: number): Matrix {
    const { data } = this.#call().position.rotation({ delta, dim });
    return matrix(dim, dim, data);
  }

  /** The layer of the notes: dropout(x + P), in training when the probability is not 0. */
  encoded(x: Matrix, dropout: number, seed: number): Matrix {
    const core = this.#call();
    const layer = new core.PositionalEncoding({
      dim: x.columns,
      maxLength: x.rows,
      dropout,
      seed,
    });
    const { data } = layer.forward(like(x), { training: dropout > 0, seed });
    layer.dispose();
    return matrix(x.rows, x.columns, data);
  }
}

function joined(a: Float32Array, b: Float32Array): Float32Array {
  const result = new Float32Array(a.length + b.length);
  result.set(a);
  result.set(b, a.length);
  return result;
}
