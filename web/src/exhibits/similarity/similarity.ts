// One query and three keys, compared in three ways.
import type { Calculator } from "../../lib/calculator";
import type { Codec } from "../../lib/codec";
import type { NamedTensor } from "../../lib/csv";
import { readMatrix, writeMatrix } from "../../lib/entries";
import { sameNumbers, type Matrix } from "../../lib/matrix";
import { NETWORK, scoreOf } from "../three-stages/compute";
import { PAIRS, SIMILARITIES, type Similarity } from "../three-stages/state";

const FIXED = { query: PAIRS.notes.query, key: PAIRS.notes.key, ...NETWORK };

export type Name = keyof typeof FIXED;
export type Inputs = Readonly<Record<Name, Matrix>>;

export interface SimilarityState {
  readonly edited: Partial<Inputs>;
}

const ENTRIES: Record<Name, string> = {
  query: "sq",
  key: "sk",
  queryWeight: "aw",
  keyWeight: "au",
  vector: "av",
};
const NAMES = Object.keys(ENTRIES) as Name[];

export const inputsOf = ({ edited }: SimilarityState): Inputs => ({ ...FIXED, ...edited });

export function withInput(state: SimilarityState, name: Name, value: Matrix): SimilarityState {
  const edited = { ...state.edited, [name]: value };
  if (sameNumbers(FIXED[name], value)) delete edited[name];
  return { edited };
}

export const codec: Codec<SimilarityState> = {
  initial: { edited: {} },
  write: ({ edited }) =>
    Object.fromEntries(
      NAMES.map((name) => {
        const value = edited[name];
        return [ENTRIES[name], value ? writeMatrix(value) : null];
      }),
    ),
  read(entry) {
    let state: SimilarityState = { edited: {} };
    for (const name of NAMES) {
      const text = entry(ENTRIES[name]);
      if (text !== null) state = withInput(state, name, readMatrix(text, FIXED[name]));
    }
    return state;
  },
};

export interface Compared {
  readonly scores: Matrix;
  readonly weights: Matrix;
  /** The keys from the best to the worst; those of equal score together. */
  readonly ranking: readonly (readonly number[])[];
}

function ranked({ data }: Matrix): number[][] {
  const order = Array.from(data.keys()).sort((a, b) => data[b]! - data[a]!);
  const groups: number[][] = [];
  for (const key of order) {
    const last = groups.at(-1);
    if (last && data[last[0]!] === data[key]) last.push(key);
    else groups.push([key]);
  }
  return groups;
}

export function compute(
  calculator: Calculator,
  state: SimilarityState,
): Readonly<Record<Similarity, Compared>> {
  const inputs = inputsOf(state);
  const compared = (similarity: Similarity): Compared => {
    const { scores, weights } = calculator.attend(inputs.query, inputs.key, inputs.key, {
      score: scoreOf(similarity, inputs),
    });
    return { scores, weights, ranking: ranked(scores) };
  };
  return { dot: compared("dot"), cosine: compared("cosine"), additive: compared("additive") };
}

export const tensors = (made: Readonly<Record<Similarity, Compared>>): NamedTensor[] =>
  SIMILARITIES.flatMap((name) =>
    (["scores", "weights"] as const).map((part) => ({
      name: `${name}_${part}`,
      shape: [1, made[name][part].columns],
      data: made[name][part].data,
    })),
  );
