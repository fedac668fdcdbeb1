// The textbook's layer: 100 features, two sequences of four tokens with 3 and 2 valid ones.
import { mask, QkvError, type MultiHeadAttention } from "qkv";
import type { Calculator } from "../../lib/calculator";
import type { Core } from "../../lib/core.svelte";
import type { NamedTensor } from "../../lib/csv";
import { filled, largest, matrix, rowOf, type Matrix } from "../../lib/matrix";
import type { LayerState } from "./state";

export const FEATURES = 100;
export const VALID = [3, 2] as const;
const BATCH = VALID.length;
const TOKENS = 4;
const DROPOUT = 0.5;
const SEED = 1;

export interface Layer {
  readonly outputShape: readonly number[];
  readonly weightsShape: readonly number[];
  readonly parameters: readonly NamedTensor[];
  readonly parameterCount: number;
  readonly headWidth: number;
  readonly input: NamedTensor;
  readonly weights: NamedTensor;
  readonly output: NamedTensor;
  /** Of the chosen sequence. */
  readonly shownWeights: readonly Matrix[];
  readonly shownOutput: Matrix;
  /** How far its outputs are from its first one, at most. */
  readonly rowGap: number;
}

export interface Prepared {
  readonly layer: MultiHeadAttention;
  readonly parameters: readonly NamedTensor[];
}

/** Drawing the parameters takes longer than using them, so a layer is kept while it is shown. */
export function prepare(core: Core, heads: number): Prepared | { readonly refused: string } {
  try {
    const layer = new core.MultiHeadAttention({
      embedDim: FEATURES,
      numHeads: heads,
      bias: false,
      dropout: DROPOUT,
      seed: SEED,
    });
    const parameters = Object.entries(layer.stateDict()).map(([name, tensor]): NamedTensor => {
      const { shape, data } = tensor;
      tensor.dispose();
      return { name, shape, data };
    });
    return { layer, parameters };
  } catch (error) {
    if (error instanceof QkvError) return { refused: error.message };
    throw error;
  }
}

export function compute(
  calculator: Calculator,
  { layer, parameters }: Prepared,
  { heads, input, training, sequence }: LayerState,
): Layer {
  const x =
    input === "ones"
      ? filled(BATCH * TOKENS, FEATURES, 1)
      : calculator.normal(BATCH * TOKENS, FEATURES, SEED);
  const shape = [BATCH, TOKENS, FEATURES];
  const { output, weights } = calculator.use(() =>
    layer.forward({ data: x.data, shape }, undefined, undefined, {
      mask: mask.lengths({ key: VALID }),
      returns: { weights: true },
      ...(training ? { training, seed: SEED } : {}),
    }),
  );
  const chosen = Number(sequence) - 1;
  const size = TOKENS * TOKENS;
  const shownWeights = Array.from({ length: heads }, (_, head) => {
    const from = (chosen * heads + head) * size;
    return matrix(TOKENS, TOKENS, weights.data.subarray(from, from + size));
  });
  const length = TOKENS * FEATURES;
  const shownOutput = matrix(
    TOKENS,
    FEATURES,
    output.data.subarray(chosen * length, (chosen + 1) * length),
  );
  const firsts = filled(TOKENS, FEATURES, 0);
  for (let row = 0; row < TOKENS; row += 1) {
    firsts.data.set(rowOf(shownOutput, 0), row * FEATURES);
  }
  return {
    outputShape: output.shape,
    weightsShape: weights.shape,
    parameters,
    parameterCount: parameters.reduce((sum, { data }) => sum + data.length, 0),
    headWidth: FEATURES / heads,
    input: { name: "X", shape, data: x.data },
    weights: { name: "A", shape: weights.shape, data: weights.data },
    output: { name: "output", shape: output.shape, data: output.data },
    shownWeights,
    shownOutput,
    rowGap: largest(calculator.difference(shownOutput, firsts)),
  };
}
