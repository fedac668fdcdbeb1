// How rows, columns and cells of the worked example are called, on the page and aloud.
import type { Messages } from "../../messages/en";
import { WORDS, type Preset } from "./presets";

export interface Names {
  /** "1", "2", "3", or the words. */
  readonly tokens: readonly string[];
  readonly input: (row: number) => string;
  readonly query: (row: number) => string;
  readonly key: (row: number) => string;
  readonly value: (row: number) => string;
  readonly output: (row: number) => string;
  readonly feature: (column: number) => string;
  /** Rows and columns of a weight matrix. */
  readonly featureIn: (row: number) => string;
  readonly featureOut: (column: number) => string;
}

export function namesOf(t: Messages["oneQuery"], preset: Preset, count: number): Names {
  const tokens = preset === "words" ? WORDS : Array.from({ length: count }, (_, i) => `${i + 1}`);
  const of = (name: (token: string) => string) => (row: number) => name(tokens[row] ?? "");
  return {
    tokens,
    input: of(t.names.input),
    query: of(t.names.query),
    key: of(t.names.key),
    value: of(t.names.value),
    output: of(t.names.output),
    feature: (column) => t.names.feature(column + 1),
    featureIn: (row) => t.names.featureIn(row + 1),
    featureOut: (column) => t.names.featureOut(column + 1),
  };
}
