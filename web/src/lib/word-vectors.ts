// Real word vectors: some hundred of GloVe, kept in web/data (where they come from is said there).
import { filled, type Matrix } from "./matrix";

export interface WordFile {
  readonly dimensions: number;
  readonly step: number;
  readonly words: readonly string[];
  /** 16-bit integers, the low byte first, in base 64: how many steps each number is. */
  readonly vectors: string;
}

export class WordVectors {
  readonly dimensions: number;
  readonly #rows: ReadonlyMap<string, number>;
  readonly #numbers: Float32Array;

  constructor({ dimensions, step, words, vectors }: WordFile) {
    const bytes = Uint8Array.from(atob(vectors), (character) => character.charCodeAt(0));
    const steps = new DataView(bytes.buffer);
    this.dimensions = dimensions;
    this.#rows = new Map(words.map((word, row) => [word, row]));
    this.#numbers = Float32Array.from(
      { length: bytes.length / 2 },
      (_, index) => step * steps.getInt16(2 * index, true),
    );
  }

  has(word: string): boolean {
    return this.#rows.has(word.toLowerCase());
  }

  /** One row for each word; zeros for a word that is not among those kept. */
  of(words: readonly string[]): Matrix {
    const width = this.dimensions;
    const result = filled(words.length, width, 0);
    words.forEach((word, index) => {
      const row = this.#rows.get(word.toLowerCase());
      if (row === undefined) return;
      result.data.set(this.#numbers.subarray(row * width, (row + 1) * width), index * width);
    });
    return result;
  }
}
