// The inputs the worked example can start from.
import type { Calculator } from "../../lib/calculator";
import { filled, fromRows, identity, type Matrix } from "../../lib/matrix";

export const PRESETS = ["notes", "words", "identity"] as const;
export type Preset = (typeof PRESETS)[number];

export interface Inputs {
  readonly x: Matrix;
  readonly wKey: Matrix;
  readonly wQuery: Matrix;
  readonly wValue: Matrix;
}

export const NOTES: Inputs = {
  x: fromRows([
    [1, 0, 1, 0],
    [0, 2, 0, 2],
    [1, 1, 1, 1],
  ]),
  wKey: fromRows([
    [0, 0, 1],
    [1, 1, 0],
    [0, 1, 0],
    [1, 1, 0],
  ]),
  wQuery: fromRows([
    [1, 0, 1],
    [1, 0, 0],
    [0, 0, 1],
    [0, 1, 1],
  ]),
  wValue: fromRows([
    [0, 2, 0],
    [0, 3, 0],
    [1, 0, 3],
    [1, 1, 0],
  ]),
};

const IDENTITY: Inputs = {
  x: NOTES.x,
  wKey: identity(4),
  wQuery: identity(4),
  wValue: identity(4),
};

/** What the notes multiplied their values by: the weights rounded, one row per query. */
export const PRINTED_WEIGHTS = fromRows([
  [0, 0.5, 0.5],
  [0, 1, 0],
  [0, 0.9, 0.1],
]);

export const WORDS = ["Thinking", "Machines"] as const;
export const WORD_SEED = 5;

const EMBEDDING = 512;
const FEATURES = 64;
// Lengths of the two embeddings, as factors on the core's normal distribution. With these the first
// query of WORD_SEED scores 112 and 96; both words come out about equally long.
const WORD_GAINS = [357.129983, 352.52198];

/** Round numbers often told for these two words, and the divisor √64. */
export const CLASSIC = { scores: fromRows([[112], [96]]), factor: 1 / 8 };

function words(calculator: Calculator, seed: number): Inputs {
  const gains = filled(WORDS.length, WORDS.length, 0);
  WORD_GAINS.forEach((gain, word) => (gains.data[word * (WORDS.length + 1)] = gain));
  // Each matrix has a stream of its own, and no two seeds share one.
  const weights = (stream: number) => calculator.random(EMBEDDING, FEATURES, 4 * seed + stream);
  return {
    x: calculator.product(gains, calculator.random(WORDS.length, EMBEDDING, 4 * seed)),
    wKey: weights(1),
    wQuery: weights(2),
    wValue: weights(3),
  };
}

/** The matrices of a preset that stand still: all but the random ones. */
export function fixedInputs(preset: Preset): Inputs | null {
  return preset === "notes" ? NOTES : preset === "identity" ? IDENTITY : null;
}

export function presetInputs(calculator: Calculator, preset: Preset, seed: number): Inputs {
  return fixedInputs(preset) ?? words(calculator, seed);
}
