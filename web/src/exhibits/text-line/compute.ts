// Two trained blocks of self-attention, each one call of the core.
import type { SelfAttentionBlockOptions } from "qkv";
import type { Calculator } from "../../lib/calculator";
import type { NamedTensor } from "../../lib/csv";
import { matrix, type Matrix } from "../../lib/matrix";
import { BLOCK_LENGTH, BLOCKS, HEADS, LENGTH, PARTS, SHAPES, sizeOf, WIDTH } from "./layout";

export const STRIPS = 60;

export interface Model {
  /** What the model's convolutions say about the strips, [60, 120]. */
  readonly strips: Float32Array;
  readonly blocks: readonly SelfAttentionBlockOptions[];
}

export interface Seen {
  /** [8, 60, 60] */
  readonly weights: Float32Array;
  /** [60, 120] */
  readonly output: Float32Array;
}

/** Views of the weights in their file. The core takes them [out, in]: a matter of strides. */
function blockAt(weights: Float32Array, block: number): SelfAttentionBlockOptions {
  let place = block * BLOCK_LENGTH;
  const parts = PARTS.map(({ name }) => {
    const data = weights.subarray(place, (place += sizeOf(name)));
    const [rows, columns] = SHAPES[name] as readonly number[];
    if (columns === undefined) return [name, { data, shape: [rows!] }];
    return [name, { data, shape: [columns, rows!], strides: [1, columns] }];
  });
  return {
    numHeads: HEADS,
    ...(Object.fromEntries(parts) as Omit<SelfAttentionBlockOptions, "numHeads">),
    normFirst: true,
    activation: "silu",
    returns: { weights: true },
  };
}

async function numbersAt(address: string, count: number): Promise<Float32Array> {
  const response = await fetch(address);
  const bytes = response.ok ? await response.arrayBuffer() : null;
  if (bytes?.byteLength !== 4 * count) throw new Error(`${address}: ${response.status}`);
  return new Float32Array(bytes);
}

export async function fetchModel(strips: string, weights: string): Promise<Model> {
  const [given, trained] = await Promise.all([
    numbersAt(strips, STRIPS * WIDTH),
    numbersAt(weights, LENGTH),
  ]);
  return { strips: given, blocks: BLOCKS.map((block) => blockAt(trained, block)) };
}

/** What each block sees, one after the other. */
export function run(calculator: Calculator, { strips, blocks }: Model): Seen[] {
  let data = strips;
  return blocks.map((options) => {
    const { output, weights } = calculator.use((core) =>
      core.selfAttentionBlock({ data, shape: [STRIPS, WIDTH] }, options),
    );
    data = output.data;
    return { weights: weights!.data, output: output.data };
  });
}

const SQUARE = STRIPS * STRIPS;

/** The weights of one head, queries by keys. */
export const ofHead = ({ weights }: Seen, head: number): Matrix =>
  matrix(STRIPS, STRIPS, weights.subarray(head * SQUARE, (head + 1) * SQUARE));

/** The weights of one query, heads by keys. */
export function ofStrip({ weights }: Seen, strip: number): Matrix {
  const rows = new Float32Array(HEADS * STRIPS);
  for (let head = 0; head < HEADS; head += 1) {
    const begin = head * SQUARE + strip * STRIPS;
    rows.set(weights.subarray(begin, begin + STRIPS), head * STRIPS);
  }
  return matrix(HEADS, STRIPS, rows);
}

export const tensors = (model: Model, seen: Seen): NamedTensor[] => [
  { name: "strips", shape: [STRIPS, WIDTH], data: model.strips },
  { name: "weights", shape: [HEADS, STRIPS, STRIPS], data: seen.weights },
  { name: "output", shape: [STRIPS, WIDTH], data: seen.output },
];
