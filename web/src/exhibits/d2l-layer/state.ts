// What the reader can set about the textbook's layer, and how it is written into the address.
import type { Codec } from "../../lib/codec";
import { flag, number, oneOf, writeFlag, writeNumber } from "../../lib/entries";

export const INPUTS = ["ones", "random"] as const;
export const SEQUENCES = ["1", "2"] as const;
export const COUNT = { least: 1, most: 20 } as const;

export interface LayerState {
  readonly heads: number;
  readonly input: (typeof INPUTS)[number];
  /** With the layer's dropout, as in training. */
  readonly training: boolean;
  /** Which of the two sequences is shown. */
  readonly sequence: (typeof SEQUENCES)[number];
  /** Which head is shown, counted from 1. */
  readonly shown: number;
}

const initial: LayerState = {
  heads: 5,
  input: "ones",
  training: false,
  sequence: "1",
  shown: 1,
};

export const codec: Codec<LayerState> = {
  initial,
  write: ({ heads, input, training, sequence, shown }) => ({
    heads: writeNumber(heads, initial.heads),
    input: input === initial.input ? null : input,
    training: writeFlag(training, initial.training),
    sequence: sequence === initial.sequence ? null : sequence,
    head: writeNumber(shown, initial.shown),
  }),
  read: (entry) => ({
    heads: number(entry("heads"), COUNT, initial.heads),
    input: oneOf(entry("input"), INPUTS, initial.input),
    training: flag(entry("training"), initial.training),
    sequence: oneOf(entry("sequence"), SEQUENCES, initial.sequence),
    shown: number(entry("head"), COUNT, initial.shown),
  }),
};
