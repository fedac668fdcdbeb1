// What the reader can set about the Synthesizer, and how it is written into the address.
import type { Codec } from "../../lib/codec";
import { number, readMatrix, writeMatrix, writeNumber } from "../../lib/entries";
import { sameNumbers, type Matrix } from "../../lib/matrix";
import { NOTES } from "../worked-example/presets";

export const TOKENS = 3;
export const TOKEN = { least: 1, most: TOKENS } as const;
export const AMOUNT = { least: 0, most: 4, step: 0.5 } as const;
export const SEED = { least: 1, most: 20 } as const;

export interface SynthesizerState {
  readonly x: Matrix;
  /** Which token is changed, counted from 1. */
  readonly token: number;
  /** How much is added to each of its features. */
  readonly amount: number;
  /** Of the parameters. */
  readonly seed: number;
}

const initial: SynthesizerState = { x: NOTES.x, token: 2, amount: 1, seed: 1 };

export const codec: Codec<SynthesizerState> = {
  initial,
  write: ({ x, token, amount, seed }) => ({
    x: sameNumbers(x, initial.x) ? null : writeMatrix(x),
    token: writeNumber(token, initial.token),
    amount: writeNumber(amount, initial.amount),
    seed: writeNumber(seed, initial.seed),
  }),
  read(entry) {
    const x = entry("x");
    return {
      x: x === null ? initial.x : readMatrix(x, initial.x),
      token: number(entry("token"), TOKEN, initial.token),
      amount: number(entry("amount"), AMOUNT, initial.amount),
      seed: number(entry("seed"), SEED, initial.seed),
    };
  },
};
