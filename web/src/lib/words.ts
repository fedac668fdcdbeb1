// Sentences as sets of vectors: where no model has been trained, every word has a vector drawn at
// random, but always the same one.
import type { Calculator } from "./calculator";
import { matrix, type Matrix } from "./matrix";

/** Words as the reader writes them: between spaces, and every Chinese character by itself. */
export const wordsOf = (text: string): string[] =>
  text.normalize("NFC").match(/\p{Script=Han}|[^\s\p{Script=Han}]+/gu) ?? [];

/** A number that belongs to the word (FNV-1a), to seed the draw of its vector. */
function seedOf(word: string): number {
  let hash = 0x811c9dc5;
  for (const character of word.toLowerCase()) {
    hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193);
  }
  return hash >>> 1;
}

/** One row for each word. */
export function embedded(calculator: Calculator, words: readonly string[], dim: number): Matrix {
  const result = matrix(words.length, dim, new Float32Array(words.length * dim));
  words.forEach((word, row) =>
    result.data.set(calculator.normal(1, dim, seedOf(word)).data, row * dim),
  );
  return result;
}

export const MOST_WORDS = 16;
const MOST_LETTERS = 120;

/** Whether a text can be shown: some words, but not too many. */
export function fitsWords(text: string): boolean {
  const count = wordsOf(text).length;
  return text.length <= MOST_LETTERS && count >= 1 && count <= MOST_WORDS;
}
