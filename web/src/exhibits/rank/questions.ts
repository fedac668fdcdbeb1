// The questions of the chapter: a matrix is peeled by the core, the rest is counted by it.
import { Calculator } from "../../lib/calculator";
import type { Core } from "../../lib/core.svelte";
import type { Question } from "../../lib/questions.svelte";
import { compute as compress } from "../compress/compute";
import { codec as compressCodec } from "../compress/state";
import { costs } from "../compress-cost/compute";
import { compute as shorten } from "../fewer-queries/compute";
import { codec as queriesCodec } from "../fewer-queries/state";
import { compute } from "./compute";
import { codec } from "./state";

/** In how many steps something was left to take away. */
const rank = (core: Core): number =>
  compute(new Calculator(core), codec.initial.x).scores.pivots.filter((cell) => cell !== null)
    .length;

function saved(core: Core): number {
  const { full, matrix } = costs(new Calculator(core), { n: 8192, d: 64, k: 64, s: 3 });
  return full.attention / matrix.attention;
}

function outputRows(core: Core): number {
  const words = "one two three four five six seven eight nine ten";
  const set = { ...queriesCodec.initial, words, few: 4 };
  return shorten(new Calculator(core), set).output.rows;
}

const secondKey = (core: Core): number =>
  compress(new Calculator(core), compressCodec.initial).fewKeys.data[3] ?? Number.NaN;

export const QUESTIONS = [
  { id: "rank", answer: rank, tolerance: 0, decimals: 0 },
  { id: "key", answer: secondKey, tolerance: 0, decimals: 2 },
  { id: "saved", answer: saved, tolerance: 0, decimals: 0 },
  { id: "rows", answer: outputRows, tolerance: 0, decimals: 0 },
] as const satisfies readonly Question[];
