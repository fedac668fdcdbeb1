// A painted mask: its pairs, what it does to the outputs, and how long it takes.
import { mask, type Mask } from "qkv";
import type { Calculator } from "../../lib/calculator";
import {
  anyOf,
  cellsOf,
  countOf,
  everything,
  firstOf,
  patternOf,
  PATTERNS,
  pictureOf,
  without,
  type Counted,
  type Pattern,
} from "../../lib/masks";
import { at, largest, matrix, rowOf, type Matrix } from "../../lib/matrix";
import type { Task } from "../measuring/wire";
import { TOKENS, type PaintState } from "./state";

const FEATURES = 8;
const SEED = 9;
/** The pictures of a painted mask, in the order of their shapes. */
export const MARKS = [...PATTERNS, "added", "removed"] as const;
export type Mark = (typeof MARKS)[number];

const ofPattern = (state: PaintState, pattern: Pattern): Mask =>
  patternOf(pattern, state[pattern], state.seed);

/** The painted mask for n tokens; what was turned by hand stays at its place among the first. */
export function painted(calculator: Calculator, state: PaintState, n: number): Mask {
  const patterns = anyOf(state.use.map((pattern) => ofPattern(state, pattern)));
  if (state.turned.length === 0) return patterns;
  // Where the patterns have a pair, turning takes it away; elsewhere it adds one.
  const there = pictureOf(calculator, patterns, TOKENS);
  const had = state.turned.filter(([query, key]) => at(there, query, key) === 1);
  const added = state.turned.filter(([query, key]) => at(there, query, key) === 0);
  return without(mask.or(patterns, cellsOf(added, n)), cellsOf(had, n));
}

export interface Painted {
  readonly allowed: Matrix;
  /** For each cell the number of its mark, from 1 on, or 0. */
  readonly marks: Matrix;
  /** Which of the marks each cell has. */
  readonly of: Readonly<Record<Mark, Matrix>>;
  readonly pairs: number;
  readonly input: Matrix;
  readonly full: Matrix;
  readonly output: Matrix;
  readonly weights: Matrix;
  readonly gap: Matrix;
  readonly worst: number;
  /** The token whose output changes most. */
  readonly worstToken: number;
  /** Queries that see no key at all. */
  readonly blind: number;
}

export function compute(calculator: Calculator, state: PaintState): Painted {
  const empty = matrix(TOKENS, TOKENS, new Float32Array(TOKENS * TOKENS));
  const picture = (pattern: Pattern) =>
    state.use.includes(pattern)
      ? pictureOf(calculator, ofPattern(state, pattern), TOKENS)
      : empty;
  const patterns = {
    local: picture("local"),
    stride: picture("stride"),
    global: picture("global"),
    random: picture("random"),
  };
  const whole = painted(calculator, state, TOKENS);
  const allowed = pictureOf(calculator, whole, TOKENS);
  const before = firstOf(Object.values(patterns), TOKENS);
  // Where a picture has a 1 that the other has not.
  const only = (one: Matrix, other: Matrix) =>
    matrix(TOKENS, TOKENS, one.data.map((cell, i) => (cell > 0 && other.data[i] === 0 ? 1 : 0)));
  const of = { ...patterns, added: only(allowed, before), removed: only(before, allowed) };
  // What was done by hand covers what is below.
  const marks = firstOf(MARKS.map((mark) => of[mark]), TOKENS);
  MARKS.forEach((mark, index) => {
    if (mark !== "added" && mark !== "removed") return;
    of[mark].data.forEach((cell, i) => {
      if (cell === 1) marks.data[i] = index + 1;
    });
  });

  const input = calculator.normal(TOKENS, FEATURES, SEED);
  const full = calculator.attend(input, input, input, {}).output;
  const { output, weights } = calculator.attend(input, input, input, { mask: whole });
  const gap = calculator.difference(output, full);
  const worst = largest(gap);
  const index = gap.data.findIndex((value) => Math.abs(value) === worst);
  const sees = (row: number) => rowOf(allowed, row).includes(1);
  return {
    allowed,
    marks,
    of,
    pairs: countOf(calculator, whole, TOKENS).pairs,
    input,
    full,
    output,
    weights,
    gap,
    worst,
    worstToken: Math.floor(index / FEATURES),
    blind: Array.from({ length: TOKENS }, (_, row) => row).filter((row) => !sees(row)).length,
  };
}

export const LONG = 1024;
export type Row = "full" | "causal" | Pattern | "painted";

export interface CountRow {
  readonly id: Row;
  readonly short: Counted;
  readonly long: Counted;
}

/** Pairs of every pattern that is painted, between those of no mask and of the whole painting. */
export function counts(calculator: Calculator, state: PaintState): CountRow[] {
  const row = (id: Row, of: (n: number) => Mask): CountRow => ({
    id,
    short: countOf(calculator, of(TOKENS), TOKENS),
    long: countOf(calculator, of(LONG), LONG),
  });
  return [
    row("full", () => everything),
    row("causal", () => mask.causal()),
    ...state.use.map((pattern) => row(pattern, () => ofPattern(state, pattern))),
    row("painted", (n) => painted(calculator, state, n)),
  ];
}

export const MEASURED = [1024, 2048, 4096] as const;
export const KERNELS = ["full", "bias", "mask"] as const;
export type Kernel = (typeof KERNELS)[number];
const HEAD = 64;

export const idOf = (kernel: Kernel, n: number): string => `${kernel} ${n}`;

export function tasks(calculator: Calculator, state: PaintState): Task[] {
  return MEASURED.flatMap((n) =>
    KERNELS.map((kernel): Task => ({
      id: idOf(kernel, n),
      work:
        kernel === "full"
          ? { kind: "attention", n, d: HEAD, heads: 1 }
          : { kind: "masked", n, d: HEAD, mask: painted(calculator, state, n), as: kernel },
      threads: 1,
      milliseconds: kernel === "mask" ? 200 : n < 4096 ? 400 : 900,
    })),
  );
}
