// What the reader can set about the convolution, and how it is written into the address.
import type { Codec } from "../../lib/codec";
import { number, readMatrix, writeMatrix, writeNumber } from "../../lib/entries";
import { fromRows, sameNumbers, type Matrix } from "../../lib/matrix";

export const LENGTH = 8;
export const SIZE = 3;
export const SHARPNESS = { least: 0, most: 40 } as const;

export interface ConvolutionState {
  readonly signal: Matrix;
  readonly kernel: Matrix;
  readonly sharpness: number;
}

const initial: ConvolutionState = {
  signal: fromRows([[0, 1, 3, 2, 0, 0, 4, 1]]),
  kernel: fromRows([[1, 2, -1]]),
  sharpness: 40,
};

const write = (value: Matrix, start: Matrix) =>
  sameNumbers(value, start) ? null : writeMatrix(value);
const read = (text: string | null, start: Matrix) =>
  text === null ? start : readMatrix(text, start);

export const codec: Codec<ConvolutionState> = {
  initial,
  write: ({ signal, kernel, sharpness }) => ({
    signal: write(signal, initial.signal),
    kernel: write(kernel, initial.kernel),
    sharp: writeNumber(sharpness, initial.sharpness),
  }),
  read: (entry) => ({
    signal: read(entry("signal"), initial.signal),
    kernel: read(entry("kernel"), initial.kernel),
    sharpness: number(entry("sharp"), SHARPNESS, initial.sharpness),
  }),
};
