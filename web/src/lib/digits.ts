// Handwritten digits of 8 x 8 pixels, three of each (where they come from: web/data).
import file from "../../data/digits.json";
import { number, writeNumber } from "./entries";
import { matrix, type Matrix } from "./matrix";

const SIDE = 8;
/** The brightest pixel. */
export const BRIGHTEST = 16;
// A pixel is one letter.
const BASE = 17;
const DIGIT = { least: 0, most: 9 } as const;
const COPY = { least: 1, most: file.length / 10 } as const;

export interface Written {
  readonly digit: number;
  /** Which of the images of the digit. */
  readonly copy: number;
}

export const FIRST: Written = { digit: 0, copy: 1 };

const range = ({ least, most }: { least: number; most: number }) =>
  Array.from({ length: most - least + 1 }, (_, index) => least + index);
export const DIGITS = range(DIGIT);
export const COPIES = range(COPY);

/** Its pixels, from 0 to the brightest. */
export function imageOf({ digit, copy }: Written): Matrix {
  const { pixels } = file.filter((image) => image.digit === digit)[copy - 1]!;
  return matrix(SIDE, SIDE, Array.from(pixels, (letter) => parseInt(letter, BASE)));
}

export const writeDigit = ({ digit, copy }: Written) => ({
  digit: writeNumber(digit, FIRST.digit),
  copy: writeNumber(copy, FIRST.copy),
});

export const readDigit = (entry: (name: string) => string | null): Written => ({
  digit: number(entry("digit"), DIGIT, FIRST.digit),
  copy: number(entry("copy"), COPY, FIRST.copy),
});
