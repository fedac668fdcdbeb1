// What the reader can paint, and how it is written into the address.
import { BadEntry, type Codec } from "../../lib/codec";
import { number, writeNumber } from "../../lib/entries";
import { MOST_SEED, PATTERNS, SIZES, type Pattern } from "../../lib/masks";

export const TOKENS = 16;
export const SEED = { least: 0, most: MOST_SEED } as const;

export type Sizes = Readonly<Record<Pattern, number>>;
/** A pair, query and key, counted from 0. */
export type Pair = readonly [query: number, key: number];

export interface PaintState extends Sizes {
  /** The patterns that are painted, in their order. */
  readonly use: readonly Pattern[];
  readonly seed: number;
  /** Pairs turned into their opposite by hand. */
  readonly turned: readonly Pair[];
}

const initial: PaintState = {
  use: ["local", "stride", "global"],
  local: 1,
  stride: 2,
  global: 2,
  random: 2,
  seed: 0,
  turned: [],
};

const same = (a: Pair, b: Pair) => a[0] === b[0] && a[1] === b[1];

export const withUse = (use: readonly Pattern[], pattern: Pattern, on: boolean): Pattern[] =>
  PATTERNS.filter((other) => (other === pattern ? on : use.includes(other)));

export function withTurned(turned: readonly Pair[], pair: Pair): Pair[] {
  const others = turned.filter((other) => !same(other, pair));
  return others.length < turned.length ? others : [...turned, pair];
}

const LETTERS: Record<Pattern, string> = { local: "l", stride: "s", global: "g", random: "r" };
const lettersOf = (use: readonly Pattern[]) => use.map((pattern) => LETTERS[pattern]).join("");

function readUse(text: string): Pattern[] {
  const use = PATTERNS.filter((pattern) => text.includes(LETTERS[pattern]));
  if (lettersOf(use) !== text) throw new BadEntry();
  return use;
}

/** "2-3" for query 2 and key 3, as the figure counts them. */
const writePair = ([query, key]: Pair) => `${query + 1}-${key + 1}`;

function readTurned(text: string): Pair[] {
  const pairs = text.split(",").map((part): Pair => {
    const found = /^(\d{1,2})-(\d{1,2})$/.exec(part);
    const pair: Pair = [Number(found?.[1]) - 1, Number(found?.[2]) - 1];
    if (!pair.every((index) => index >= 0 && index < TOKENS)) throw new BadEntry();
    return pair;
  });
  if (new Set(pairs.map(writePair)).size < pairs.length) throw new BadEntry();
  return pairs;
}

export const codec: Codec<PaintState> = {
  initial,
  write(state) {
    const use = lettersOf(state.use);
    return {
      use: use === lettersOf(initial.use) ? null : use,
      ...Object.fromEntries(
        PATTERNS.map((pattern) => [pattern, writeNumber(state[pattern], initial[pattern])]),
      ),
      seed: writeNumber(state.seed, initial.seed),
      turned: state.turned.length === 0 ? null : state.turned.map(writePair).join(","),
    };
  },
  read(entry) {
    const [use, turned] = [entry("use"), entry("turned")];
    const size = (pattern: Pattern) => number(entry(pattern), SIZES[pattern], initial[pattern]);
    return {
      use: use === null ? initial.use : readUse(use),
      local: size("local"),
      stride: size("stride"),
      global: size("global"),
      random: size("random"),
      seed: number(entry("seed"), SEED, initial.seed),
      turned: turned === null ? initial.turned : readTurned(turned),
    };
  },
};
