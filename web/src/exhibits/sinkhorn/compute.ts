// Scores that become nearly a permutation: the core's sort of blocks, made from scores that the reader
// sets, and the pairs of tokens that it leaves.
import type { Calculator } from "../../lib/calculator";
import type { NamedTensor } from "../../lib/csv";
import { filled, matrix, rowOf, stacked, transposed, type Matrix } from "../../lib/matrix";
import { like, seen } from "../../lib/weights-seen";
import { LIMITS } from "./state";

/** Tokens of a block. */
export const BLOCK = 3;

export interface Sinkhorn {
  /** After the rounds. */
  readonly sorting: Matrix;
  readonly rowSums: Matrix;
  readonly columnSums: Matrix;
  /** The column of the largest number of each row. */
  readonly choice: readonly number[];
  readonly isPermutation: boolean;
  /** Which token sees which, and how much; all scores of tokens are equal here. */
  readonly weights: Matrix;
}

interface Wish {
  readonly scores: Matrix;
  readonly tau: number;
  readonly rounds: number;
}

/**
 * The core multiplies the sums of queries and keys of each block with weights. Here the queries of
 * block i add up to the unit vector i and the keys to nothing, so the weights are the scores.
 */
function sort(calculator: Calculator, { scores, tau, rounds }: Wish, block: number) {
  const blocks = scores.rows;
  const tokens = blocks * block;
  const query = filled(tokens, blocks, 0);
  for (let token = 0; token < tokens; token += 1) {
    query.data[token * blocks + Math.floor(token / block)] = 1 / block;
  }
  const nothing = filled(tokens, blocks, 0);
  let sorting = scores;
  const { weights } = seen(filled(tokens, 1, 0), (values) =>
    calculator.use((core) => {
      const result = core.sinkhornAttention(like(query), like(nothing), values, {
        blockSize: block,
        sortWeights: like(stacked(scores, filled(blocks, blocks, 0))),
        temperature: tau,
        iterations: rounds,
      });
      sorting = matrix(blocks, blocks, result.sorting.data);
      return result.output;
    }),
  );
  return { sorting, weights };
}

function choiceOf(sorting: Matrix): number[] {
  return Array.from({ length: sorting.rows }, (_, row) => {
    const numbers = rowOf(sorting, row);
    return numbers.indexOf(Math.max(...numbers));
  });
}

export function compute(calculator: Calculator, wish: Wish): Sinkhorn {
  const { sorting, weights } = sort(calculator, wish, BLOCK);
  const choice = choiceOf(sorting);
  return {
    sorting,
    weights,
    rowSums: calculator.rowSums(sorting),
    columnSums: transposed(calculator.rowSums(transposed(sorting))),
    choice,
    isPermutation: new Set(choice).size === choice.length,
  };
}

/** The sum of each row (columns of the result) after 1, 2, … rounds (its rows). */
export function rounds(calculator: Calculator, scores: Matrix, tau: number): Matrix {
  const most = LIMITS.rounds.most;
  const result = filled(most, scores.rows, 0);
  for (let round = 1; round <= most; round += 1) {
    const { sorting } = sort(calculator, { scores, tau, rounds: round }, 1);
    result.data.set(calculator.rowSums(sorting).data, (round - 1) * scores.rows);
  }
  return result;
}

export function tensors(scores: Matrix, sinkhorn: Sinkhorn): NamedTensor[] {
  const named = (name: string, { rows, columns, data }: Matrix): NamedTensor => ({
    name,
    shape: [rows, columns],
    data,
  });
  return [
    named("scores", scores),
    named("sorting", sinkhorn.sorting),
    named("row_sums", sinkhorn.rowSums),
    named("column_sums", sinkhorn.columnSums),
    named("A", sinkhorn.weights),
  ];
}
