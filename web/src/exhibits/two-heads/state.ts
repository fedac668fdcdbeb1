// What the reader can set about the heads, and how it is written into the address.
import type { Codec } from "../../lib/codec";
import { oneOf, readMatrix, writeMatrix } from "../../lib/entries";
import { fromRows, identity, sameNumbers, type Matrix } from "../../lib/matrix";

export interface Inputs {
  readonly x: Matrix;
  readonly wQuery: Matrix;
  readonly wKey: Matrix;
  readonly wValue: Matrix;
  readonly wOutput: Matrix;
}
export type InputName = keyof Inputs;

export const HEADS = ["1", "2", "4"] as const;

export interface HeadsState {
  readonly heads: (typeof HEADS)[number];
  /** Matrices the reader has changed. */
  readonly edited: Partial<Inputs>;
}

// The first two features pair tokens 1 and 3, the other two pair tokens 1 and 2. The last matrix
// adds the results of the two heads and subtracts them.
export const GIVEN: Inputs = {
  x: fromRows([
    [2, 0, 0, 2],
    [0, 2, 0, 2],
    [2, 0, 2, 0],
  ]),
  wQuery: identity(4),
  wKey: identity(4),
  wValue: identity(4),
  wOutput: fromRows([
    [1, 0, 1, 0],
    [0, 1, 0, 1],
    [1, 0, -1, 0],
    [0, 1, 0, -1],
  ]),
};

const ENTRIES: Record<InputName, string> = {
  x: "x",
  wQuery: "wq",
  wKey: "wk",
  wValue: "wv",
  wOutput: "wo",
};
const NAMES = Object.keys(ENTRIES) as InputName[];

const initial: HeadsState = { heads: "2", edited: {} };

export function withInput(state: HeadsState, name: InputName, value: Matrix): HeadsState {
  const edited = { ...state.edited, [name]: value };
  if (sameNumbers(GIVEN[name], value)) delete edited[name];
  return { ...state, edited };
}

export const codec: Codec<HeadsState> = {
  initial,
  write({ heads, edited }) {
    const entries: Record<string, string | null> = {
      split: heads === initial.heads ? null : heads,
    };
    for (const name of NAMES) {
      const value = edited[name];
      entries[ENTRIES[name]] = value ? writeMatrix(value) : null;
    }
    return entries;
  },
  read(entry) {
    let state: HeadsState = { heads: oneOf(entry("split"), HEADS, initial.heads), edited: {} };
    for (const name of NAMES) {
      const text = entry(ENTRIES[name]);
      if (text !== null) state = withInput(state, name, readMatrix(text, GIVEN[name]));
    }
    return state;
  },
};
