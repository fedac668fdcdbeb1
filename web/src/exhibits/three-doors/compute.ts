// Text, sound and a graph as one and the same thing: a set of vectors.
import type { Calculator } from "../../lib/calculator";
import { fromRows, matrix, type Matrix } from "../../lib/matrix";
import { embedded, wordsOf } from "../../lib/words";
import type { DoorsState } from "./state";

export const FEATURES = 8;

// The usual frames of speech recognition, in milliseconds.
export const FRAME = { long: 25, every: 10 } as const;

/** How many whole frames a sound has. */
export const framesIn = (milliseconds: number): number =>
  Math.max(0, Math.floor((milliseconds - FRAME.long) / FRAME.every) + 1);

// How fast the tone rises: bands in a second.
const RISE = 3.5;
const WIDTH = 0.8;

/** A rising tone: how much of each frame's sound lies in each of eight bands of pitch. */
function sound(calculator: Calculator, milliseconds: number): Matrix {
  const frames = framesIn(milliseconds);
  const pitches = Array.from({ length: frames }, (_, frame) => {
    const pitch = (RISE * frame * FRAME.every) / 1000;
    return [2 * pitch, -1, -(pitch * pitch)];
  });
  const bands = fromRows(
    Array.from({ length: FEATURES }, (_, band) => [band, band * band, 1]),
  );
  // Softmax of -(band - pitch)² / 2 width²: shares of one frame's sound.
  const { weights } = calculator.attend(fromRows(pitches), bands, bands, {
    score: "dot",
    scale: 1 / (2 * WIDTH * WIDTH),
  });
  return weights;
}

const GRAPH_SEED = 12;

/** The nodes of a ring, each described by eight numbers: its own and its two neighbours', averaged. */
function graph(calculator: Calculator, nodes: number): Matrix {
  const own = calculator.normal(nodes, FEATURES, GRAPH_SEED);
  const near = Array.from({ length: nodes }, (_, node) =>
    Array.from({ length: nodes }, (_none, other) => {
      const apart = Math.abs(node - other);
      return apart <= 1 || apart === nodes - 1 ? 0 : Number.NEGATIVE_INFINITY;
    }),
  );
  const nothing = matrix(nodes, 1, new Float32Array(nodes));
  return calculator.attend(nothing, nothing, own, {
    score: "dot",
    bias: { data: fromRows(near).data, shape: [nodes, nodes] },
  }).output;
}

export interface Doors {
  readonly vectors: Matrix;
  readonly words: readonly string[];
}

export function compute(calculator: Calculator, state: DoorsState): Doors {
  switch (state.door) {
    case "text": {
      const words = wordsOf(state.text);
      return { vectors: embedded(calculator, words, FEATURES), words };
    }
    case "sound":
      return { vectors: sound(calculator, state.milliseconds), words: [] };
    case "graph":
      return { vectors: graph(calculator, state.nodes), words: [] };
  }
}
