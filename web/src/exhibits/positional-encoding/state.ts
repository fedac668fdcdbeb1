// What the reader can set about the positional encoding, and how it is written into the address.
import { BadEntry, type Codec } from "../../lib/codec";
import type { Cell } from "../../lib/matrix";
import { forFile, readTyped } from "../../lib/numbers";

export const LIMITS = {
  length: { least: 1, most: 200, step: 1 },
  dim: { least: 2, most: 128, step: 2 },
  dropout: { least: 0, most: 0.9, step: 0.05 },
  seed: { least: 0, most: 9999, step: 1 },
} as const;

export const MOST_CURVES = 6;
export const ROWS_SHOWN = 4;
const MOST_INPUTS = 64;

export interface GivenCell extends Cell {
  readonly value: number;
}

export interface EncodingState {
  readonly length: number;
  readonly dim: number;
  readonly dropout: number;
  readonly seed: number;
  readonly columns: readonly number[];
  /** First of the rows in which the reader's input is shown. */
  readonly first: number;
  /** The entries of the reader's input that are not 0. */
  readonly input: readonly GivenCell[];
}

const initial: EncodingState = {
  length: 60,
  dim: 32,
  dropout: 0,
  seed: 0,
  columns: [6, 7, 8, 9],
  first: 0,
  input: [],
};

type NumberName = keyof typeof LIMITS;
const ENTRIES: Record<NumberName, string> = { length: "n", dim: "d", dropout: "p", seed: "draw" };

function whole(text: string, most: number): number {
  if (!/^\d{1,4}$/.test(text) || Number(text) > most) throw new BadEntry();
  return Number(text);
}

function readNumber(text: string, name: NumberName): number {
  const { least, most, step } = LIMITS[name];
  const typed = readTyped(text, most);
  if ("problem" in typed || typed.value < least) throw new BadEntry();
  const steps = (typed.value - least) / step;
  if (Math.abs(steps - Math.round(steps)) > 1e-9) throw new BadEntry();
  return typed.value;
}

/** Keeps everything inside a matrix that may just have become smaller. */
export function fitted(state: EncodingState): EncodingState {
  const columns = state.columns.filter((column) => column < state.dim);
  return {
    ...state,
    columns: columns.length > 0 ? columns : [0, 1].slice(0, state.dim),
    first: Math.min(state.first, Math.max(0, state.length - ROWS_SHOWN)),
  };
}

export function withInput(state: EncodingState, cell: Cell, value: number): EncodingState {
  const others = state.input.filter(
    ({ row, column }) => row !== cell.row || column !== cell.column,
  );
  return { ...state, input: value === 0 ? others : [...others, { ...cell, value }] };
}

export const codec: Codec<EncodingState> = {
  initial,
  write(state) {
    const entries: Record<string, string | null> = {
      columns: state.columns.join() === initial.columns.join() ? null : state.columns.join(","),
      from: state.first === 0 ? null : String(state.first),
      input:
        state.input
          .map(({ row, column, value }) => [row, column, forFile(value)].join(","))
          .join(";") || null,
    };
    for (const name of Object.keys(ENTRIES) as NumberName[]) {
      entries[ENTRIES[name]] = state[name] === initial[name] ? null : forFile(state[name]);
    }
    return entries;
  },
  read(entry) {
    const number = (name: NumberName) => {
      const text = entry(ENTRIES[name]);
      return text === null ? initial[name] : readNumber(text, name);
    };
    const length = number("length");
    const dim = number("dim");
    const columns = (entry("columns") ?? initial.columns.join())
      .split(",")
      .map((text) => whole(text, LIMITS.dim.most));
    const cells = (entry("input") ?? "").split(";").filter((text) => text !== "");
    if (
      columns.length > MOST_CURVES ||
      new Set(columns).size < columns.length ||
      cells.length > MOST_INPUTS
    ) {
      throw new BadEntry();
    }
    const input = cells.map((text) => {
      const [row = "", column = "", value = "", ...rest] = text.split(",");
      const typed = readTyped(value);
      if ("problem" in typed || rest.length > 0) throw new BadEntry();
      return {
        row: whole(row, LIMITS.length.most - 1),
        column: whole(column, LIMITS.dim.most - 1),
        value: typed.value,
      };
    });
    return fitted({
      length,
      dim,
      dropout: number("dropout"),
      seed: number("seed"),
      columns,
      first: whole(entry("from") ?? "0", LIMITS.length.most - 1),
      input,
    });
  },
};
