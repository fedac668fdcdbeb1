// What the reader can set: which kind of data comes in, and how much of it.
import { BadEntry, type Codec } from "../../lib/codec";
import { number, oneOf, writeNumber } from "../../lib/entries";
import { fitsWords } from "../../lib/words";

export const DOORS = ["text", "sound", "graph"] as const;
export type Door = (typeof DOORS)[number];

export const LIMITS = {
  milliseconds: { least: 100, most: 2000, step: 10 },
  nodes: { least: 2, most: 24, step: 1 },
} as const;

export interface DoorsState {
  readonly door: Door;
  readonly text: string;
  readonly milliseconds: number;
  readonly nodes: number;
}

const initial: DoorsState = { door: "text", text: "I saw a saw", milliseconds: 300, nodes: 7 };

export const codec: Codec<DoorsState> = {
  initial,
  write: (state) => ({
    door: state.door === initial.door ? null : state.door,
    text: state.text === initial.text ? null : state.text,
    sound: writeNumber(state.milliseconds, initial.milliseconds),
    nodes: writeNumber(state.nodes, initial.nodes),
  }),
  read(entry) {
    const text = entry("text") ?? initial.text;
    if (!fitsWords(text)) throw new BadEntry();
    return {
      door: oneOf(entry("door"), DOORS, initial.door),
      text,
      milliseconds: number(entry("sound"), LIMITS.milliseconds, initial.milliseconds),
      nodes: number(entry("nodes"), LIMITS.nodes, initial.nodes),
    };
  },
};
