// What there is to attend to: a signal with three bumps and the digit 2, both drawn for this page, and
// real digits.
import { imageOf, type Written } from "../../lib/digits";
import { fromRows, type Matrix } from "../../lib/matrix";

export const SOURCES = ["signal", "digit", "written"] as const;
export type Source = (typeof SOURCES)[number];

const DRAWN: Record<Exclude<Source, "written">, Matrix> = {
  signal: fromRows([
    [1, 1, 2, 3, 2, 1, 1, 1, 2, 4, 7, 9, 7, 4, 2, 1, 1, 1, 3, 6, 5, 2, 1, 1],
  ]),
  digit: fromRows([
    [0, 0, 4, 12, 14, 6, 0, 0],
    [0, 2, 15, 9, 6, 15, 2, 0],
    [0, 3, 7, 0, 0, 14, 5, 0],
    [0, 0, 0, 0, 5, 16, 1, 0],
    [0, 0, 0, 3, 14, 7, 0, 0],
    [0, 0, 2, 13, 9, 0, 0, 0],
    [0, 1, 13, 15, 12, 13, 8, 0],
    [0, 4, 14, 12, 13, 12, 9, 0],
  ]),
};

export const inputOf = (source: Source, written: Written): Matrix =>
  source === "written" ? imageOf(written) : DRAWN[source];

/** Whether it has rows as well as columns. */
export const isImage = (source: Source): boolean => source !== "signal";

/** How many columns it has. */
export const widthOf = (source: Source): number =>
  isImage(source) ? DRAWN.digit.columns : DRAWN.signal.columns;
