// Queries, keys and values that a reader may change, beginning with those of the worked example.
import { readMatrix, writeMatrix } from "./entries";
import { fromRows, sameNumbers, type Matrix } from "./matrix";

export interface QueryKeyValue {
  readonly query: Matrix;
  readonly key: Matrix;
  readonly value: Matrix;
}
export type Tensor = keyof QueryKeyValue;

/** x times the three weight matrices of the worked example. */
export const GIVEN: QueryKeyValue = {
  query: fromRows([
    [1, 0, 2],
    [2, 2, 2],
    [2, 1, 3],
  ]),
  key: fromRows([
    [0, 1, 1],
    [4, 4, 0],
    [2, 3, 1],
  ]),
  value: fromRows([
    [1, 2, 3],
    [2, 8, 0],
    [2, 6, 3],
  ]),
};

export const TOKENS = GIVEN.query.rows;

/** Those that are not as given. */
export type Edited = Partial<QueryKeyValue>;
/** What the three are called in the address. */
export type Entries = Readonly<Record<Tensor, string>>;

const TENSORS = ["query", "key", "value"] as const;

export function withTensor(edited: Edited, name: Tensor, value: Matrix): Edited {
  const { [name]: _before, ...others } = edited;
  return sameNumbers(GIVEN[name], value) ? others : { ...others, [name]: value };
}

export const writeEdited = (edited: Edited, entries: Entries): Record<string, string | null> =>
  Object.fromEntries(
    TENSORS.map((name) => {
      const value = edited[name];
      return [entries[name], value ? writeMatrix(value) : null];
    }),
  );

export function readEdited(entry: (name: string) => string | null, entries: Entries): Edited {
  return TENSORS.reduce<Edited>((edited, name) => {
    const text = entry(entries[name]);
    return text === null ? edited : withTensor(edited, name, readMatrix(text, GIVEN[name]));
  }, {});
}
