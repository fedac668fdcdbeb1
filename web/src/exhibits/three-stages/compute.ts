// Every number of the three stages, from the core.
import type { Score } from "qkv";
import type { Calculator } from "../../lib/calculator";
import type { NamedTensor } from "../../lib/csv";
import { fromRows, matrix, type Matrix } from "../../lib/matrix";
import { pairsOf, type Pairs, type Similarity, type StagesState } from "./state";

/** A small network that scores a query with a key: vᵀ tanh(W q + U k), with two hidden units. */
export const NETWORK = {
  queryWeight: fromRows([
    [1, 0, 0],
    [0, 0.5, 0.5],
  ]),
  keyWeight: fromRows([
    [0.5, 0, -0.5],
    [0, 0.5, 0.5],
  ]),
  vector: fromRows([[2, 1]]),
} as const;

export interface Network {
  readonly queryWeight: Matrix;
  readonly keyWeight: Matrix;
  readonly vector: Matrix;
}

const like = ({ rows, columns, data }: Matrix) => ({ data, shape: [rows, columns] });

export function scoreOf(similarity: Similarity, network: Network = NETWORK): Score {
  if (similarity !== "additive") return similarity;
  return {
    additive: {
      queryWeight: like(network.queryWeight),
      keyWeight: like(network.keyWeight),
      vector: { data: network.vector.data, shape: [network.vector.columns] },
    },
  };
}

export interface Stages extends Pairs {
  readonly scores: Matrix;
  readonly weights: Matrix;
  readonly weighted: Matrix;
  readonly output: Matrix;
}

export function compute(calculator: Calculator, state: StagesState): Stages {
  const pairs = pairsOf(state);
  const { query, key, value } = pairs;
  const made = calculator.attend(query, key, value, { score: scoreOf(state.similarity) });
  const blocks = calculator.weighted(made.weights, value);
  const weighted = matrix(
    value.rows,
    value.columns,
    blocks.flatMap(({ data }) => Array.from(data)),
  );
  return { ...pairs, ...made, weighted };
}

export function tensors(stages: Stages): NamedTensor[] {
  const named = (name: string, { rows, columns, data }: Matrix): NamedTensor => ({
    name,
    shape: [rows, columns],
    data,
  });
  return [
    named("q", stages.query),
    named("K", stages.key),
    named("V", stages.value),
    named("scores", stages.scores),
    named("weights", stages.weights),
    named("weighted", stages.weighted),
    named("output", stages.output),
  ];
}
