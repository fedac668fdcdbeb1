// What the reader can set: the similarity, and the query with its pairs of keys and values.
import type { Codec } from "../../lib/codec";
import { oneOf, readMatrix, writeMatrix } from "../../lib/entries";
import { fromRows, sameNumbers, type Matrix } from "../../lib/matrix";

export const SIMILARITIES = ["dot", "cosine", "additive"] as const;
export type Similarity = (typeof SIMILARITIES)[number];

export const PRESETS = ["notes", "five"] as const;
export type Preset = (typeof PRESETS)[number];

export interface Pairs {
  readonly query: Matrix;
  readonly key: Matrix;
  readonly value: Matrix;
}

/** The first query of the worked example with its three keys and values; and five pairs. */
export const PAIRS: Record<Preset, Pairs> = {
  notes: {
    query: fromRows([[1, 0, 2]]),
    key: fromRows([
      [0, 1, 1],
      [4, 4, 0],
      [2, 3, 1],
    ]),
    value: fromRows([
      [1, 2, 3],
      [2, 8, 0],
      [2, 6, 3],
    ]),
  },
  five: {
    query: fromRows([[1, 1, 0]]),
    key: fromRows([
      [1, 0, 0],
      [1, 1, 0],
      [3, 3, 0],
      [0, 0, 2],
      [-1, -1, 1],
    ]),
    value: fromRows([
      [10, 0, 0],
      [0, 10, 0],
      [0, 0, 10],
      [5, 5, 0],
      [-5, 0, 5],
    ]),
  },
};

export interface StagesState {
  readonly preset: Preset;
  readonly similarity: Similarity;
  /** Matrices the reader has changed; the others are the preset's. */
  readonly edited: Partial<Pairs>;
}

const initial: StagesState = { preset: "notes", similarity: "dot", edited: {} };

const ENTRIES: Record<keyof Pairs, string> = { query: "q", key: "k", value: "v" };
const NAMES = Object.keys(ENTRIES) as (keyof Pairs)[];

export const pairsOf = ({ preset, edited }: StagesState): Pairs => ({
  ...PAIRS[preset],
  ...edited,
});

export function withMatrix(state: StagesState, name: keyof Pairs, value: Matrix): StagesState {
  const edited = { ...state.edited, [name]: value };
  if (sameNumbers(PAIRS[state.preset][name], value)) delete edited[name];
  return { ...state, edited };
}

export const codec: Codec<StagesState> = {
  initial,
  write(state) {
    const entries: Record<string, string | null> = {
      pairs: state.preset === initial.preset ? null : state.preset,
      similarity: state.similarity === initial.similarity ? null : state.similarity,
    };
    for (const name of NAMES) {
      const value = state.edited[name];
      entries[ENTRIES[name]] = value ? writeMatrix(value) : null;
    }
    return entries;
  },
  read(entry) {
    let state: StagesState = {
      preset: oneOf(entry("pairs"), PRESETS, initial.preset),
      similarity: oneOf(entry("similarity"), SIMILARITIES, initial.similarity),
      edited: {},
    };
    for (const name of NAMES) {
      const text = entry(ENTRIES[name]);
      if (text !== null) {
        state = withMatrix(state, name, readMatrix(text, PAIRS[state.preset][name]));
      }
    }
    return state;
  },
};
