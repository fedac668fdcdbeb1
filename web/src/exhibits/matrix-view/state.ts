// What the reader can set in the matrix view, and how it is written into the address.
import type { Codec } from "../../lib/codec";
import { flag, readMatrix, writeFlag, writeMatrix } from "../../lib/entries";
import { sameNumbers, type Matrix } from "../../lib/matrix";
import { NOTES } from "../worked-example/presets";

export interface ViewState {
  /** Tokens as columns, as in the notes, or as rows, as everywhere else in the course. */
  readonly columns: boolean;
  /** Every weight matrix the identity: queries, keys and values are the inputs themselves. */
  readonly identity: boolean;
  readonly scaled: boolean;
  /** The reader's inputs; null while they are the notes'. */
  readonly x: Matrix | null;
}

const initial: ViewState = { columns: false, identity: false, scaled: false, x: null };

const own = (x: Matrix): Matrix | null => (sameNumbers(x, NOTES.x) ? null : x);

export const withInput = (state: ViewState, x: Matrix): ViewState => ({ ...state, x: own(x) });

export const codec: Codec<ViewState> = {
  initial,
  write: ({ columns, identity, scaled, x }) => ({
    columns: writeFlag(columns, initial.columns),
    same: writeFlag(identity, initial.identity),
    divide: writeFlag(scaled, initial.scaled),
    x: x && writeMatrix(x),
  }),
  read(entry) {
    const x = entry("x");
    return {
      columns: flag(entry("columns"), initial.columns),
      identity: flag(entry("same"), initial.identity),
      scaled: flag(entry("divide"), initial.scaled),
      x: x === null ? null : own(readMatrix(x, NOTES.x)),
    };
  },
};
