// What the reader can set about the focus: how sharp it is, and which items stand out how much.
import { BadEntry, type Codec } from "../../lib/codec";
import { number, writeNumber } from "../../lib/entries";
import { filled, type Cell, type Matrix } from "../../lib/matrix";

export const SIDE = 8;
export const MOST_LEVEL = 4;

/** The temperature is 2 to this power. */
export const HEAT = { least: -4, most: 10, step: 0.25 } as const;

export interface Mark extends Cell {
  readonly level: number;
}

export interface FocusState {
  readonly heat: number;
  readonly marks: readonly Mark[];
}

const initial: FocusState = {
  heat: 0,
  marks: [
    { row: 1, column: 5, level: 4 },
    { row: 4, column: 2, level: 3 },
    { row: 6, column: 6, level: 2 },
  ],
};

export const temperature = ({ heat }: FocusState): number => 2 ** heat;

/** How much each item stands out, item by item. */
export function saliency({ marks }: FocusState): Matrix {
  const result = filled(SIDE, SIDE, 0);
  for (const { row, column, level } of marks) result.data[row * SIDE + column] = level;
  return result;
}

/** The item stands out by one level more; after the highest it is like the others again. */
export function raised(state: FocusState, { row, column }: Cell): FocusState {
  const isHere = (mark: Cell) => mark.row === row && mark.column === column;
  const level = ((state.marks.find(isHere)?.level ?? 0) + 1) % (MOST_LEVEL + 1);
  const others = state.marks.filter((mark) => !isHere(mark));
  return { ...state, marks: level === 0 ? others : [...others, { row, column, level }] };
}

const write = (marks: readonly Mark[]) =>
  marks.map(({ row, column, level }) => `${row}${column}${level}`).join(",");

function readMark(text: string): Mark {
  if (!/^[0-7][0-7][1-4]$/.test(text)) throw new BadEntry();
  const [row, column, level] = Array.from(text, Number);
  return { row: row!, column: column!, level: level! };
}

export const codec: Codec<FocusState> = {
  initial,
  write: ({ heat, marks }) => ({
    heat: writeNumber(heat, initial.heat),
    marks: write(marks) === write(initial.marks) ? null : write(marks) || "none",
  }),
  read(entry) {
    const text = entry("marks");
    const marks =
      text === null
        ? initial.marks
        : text === "none"
          ? []
          : text.split(",").map(readMark);
    if (new Set(marks.map(({ row, column }) => row * SIDE + column)).size < marks.length) {
      throw new BadEntry();
    }
    return { heat: number(entry("heat"), HEAT, initial.heat), marks };
  },
};
