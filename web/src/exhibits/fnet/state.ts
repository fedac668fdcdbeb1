// What the reader can set about FNet, and how it is written into the address.
import type { Codec } from "../../lib/codec";
import { number, readMatrix, writeMatrix, writeNumber } from "../../lib/entries";
import { sameNumbers, type Matrix } from "../../lib/matrix";
import { NOTES } from "../worked-example/presets";

export const TOKENS = 3;
export const FEATURES = 4;
export const PADDING = { least: 0, most: 3 } as const;

export interface FnetState {
  readonly x: Matrix;
  /** Rows of zeros behind the tokens. */
  readonly padding: number;
}

const initial: FnetState = { x: NOTES.x, padding: 0 };

export const codec: Codec<FnetState> = {
  initial,
  write: ({ x, padding }) => ({
    waves: sameNumbers(x, initial.x) ? null : writeMatrix(x),
    padding: writeNumber(padding, initial.padding),
  }),
  read(entry) {
    const x = entry("waves");
    return {
      x: x === null ? initial.x : readMatrix(x, initial.x),
      padding: number(entry("padding"), PADDING, initial.padding),
    };
  },
};
