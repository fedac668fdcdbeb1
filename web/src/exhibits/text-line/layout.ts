// How the weights of the two trained blocks lie in their file: block after block, part after part.
// Matrices are stored [in, out].

/** Features of a strip of the picture. */
export const WIDTH = 120;
export const HEADS = 8;
const HIDDEN = 240;

export const BLOCKS = [0, 1] as const;

export const SHAPES = {
  norm1Weight: [WIDTH],
  norm1Bias: [WIDTH],
  inProjWeight: [WIDTH, 3 * WIDTH],
  inProjBias: [3 * WIDTH],
  outProjWeight: [WIDTH, WIDTH],
  outProjBias: [WIDTH],
  norm2Weight: [WIDTH],
  norm2Bias: [WIDTH],
  linear1Weight: [WIDTH, HIDDEN],
  linear1Bias: [HIDDEN],
  linear2Weight: [HIDDEN, WIDTH],
  linear2Bias: [WIDTH],
} as const satisfies Record<string, readonly number[]>;

export type PartName = keyof typeof SHAPES;

export interface Part {
  readonly name: PartName;
  /** In the model: the kind of layer, which of its kind in a block, and weight or bias. */
  readonly source: readonly ["layer_norm" | "linear", number, "w" | "b"];
}

export const PARTS: readonly Part[] = [
  { name: "norm1Weight", source: ["layer_norm", 0, "w"] },
  { name: "norm1Bias", source: ["layer_norm", 0, "b"] },
  { name: "inProjWeight", source: ["linear", 0, "w"] },
  { name: "inProjBias", source: ["linear", 0, "b"] },
  { name: "outProjWeight", source: ["linear", 1, "w"] },
  { name: "outProjBias", source: ["linear", 1, "b"] },
  { name: "norm2Weight", source: ["layer_norm", 1, "w"] },
  { name: "norm2Bias", source: ["layer_norm", 1, "b"] },
  { name: "linear1Weight", source: ["linear", 2, "w"] },
  { name: "linear1Bias", source: ["linear", 2, "b"] },
  { name: "linear2Weight", source: ["linear", 3, "w"] },
  { name: "linear2Bias", source: ["linear", 3, "b"] },
];

export const sizeOf = (name: PartName): number =>
  (SHAPES[name] as readonly number[]).reduce((product, length) => product * length, 1);

/** Numbers of one block, and of all. */
export const BLOCK_LENGTH = PARTS.reduce((sum, { name }) => sum + sizeOf(name), 0);
export const LENGTH = BLOCKS.length * BLOCK_LENGTH;
