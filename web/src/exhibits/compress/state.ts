// What the reader can set about compressing by hand, and how it is written into the address.
import type { Codec } from "../../lib/codec";
import { number, oneOf, readMatrix, writeMatrix, writeNumber } from "../../lib/entries";
import { fromRows, sameNumbers, type Matrix } from "../../lib/matrix";

export const TOKENS = 3;
export const KEYS = { least: 1, most: TOKENS } as const;
export const STRIDE = { least: 1, most: TOKENS } as const;
export const WAYS = ["matrix", "convolution"] as const;
export type Way = (typeof WAYS)[number];

export interface CompressState {
  readonly way: Way;
  /** As many rows as tokens; the first `keys` of them are used. */
  readonly e: Matrix;
  readonly keys: number;
  /** What a window of the convolution takes of each of its tokens. */
  readonly taps: Matrix;
  readonly stride: number;
}

const initial: CompressState = {
  way: "matrix",
  e: fromRows([
    [1, 0, 0],
    [0, 0.5, 0.5],
    [0, 0, 1],
  ]),
  keys: 2,
  taps: fromRows([[0.5, 0.5]]),
  stride: 2,
};

const write = (value: Matrix, start: Matrix) =>
  sameNumbers(value, start) ? null : writeMatrix(value);
const read = (text: string | null, start: Matrix) =>
  text === null ? start : readMatrix(text, start);

export const codec: Codec<CompressState> = {
  initial,
  write: ({ way, e, keys, taps, stride }) => ({
    through: way === initial.way ? null : way,
    e: write(e, initial.e),
    rows: writeNumber(keys, initial.keys),
    taps: write(taps, initial.taps),
    stride: writeNumber(stride, initial.stride),
  }),
  read: (entry) => ({
    way: oneOf(entry("through"), WAYS, initial.way),
    e: read(entry("e"), initial.e),
    keys: number(entry("rows"), KEYS, initial.keys),
    taps: read(entry("taps"), initial.taps),
    stride: number(entry("stride"), STRIDE, initial.stride),
  }),
};
