// Every number of the matrix view, from the core.
import type { Calculator } from "../../lib/calculator";
import type { NamedTensor } from "../../lib/csv";
import { columnOf, identity, rowOf, type Cell, type Matrix } from "../../lib/matrix";
import { NOTES } from "../worked-example/presets";
import type { ViewState } from "./state";

export type Projection = "query" | "key" | "value";
export type Product = Projection | "scores" | "weights" | "output";

export interface View extends Readonly<Record<Product, Matrix>> {
  readonly x: Matrix;
  readonly wQuery: Matrix;
  readonly wKey: Matrix;
  readonly wValue: Matrix;
}

/** A cell of one of the products. Rows are tokens, whichever way the matrices are drawn. */
export interface Spot extends Cell {
  readonly of: Product;
}

export function compute(calculator: Calculator, state: ViewState): View {
  const x = state.x ?? NOTES.x;
  const same = identity(x.columns);
  const { wQuery, wKey, wValue } = state.identity
    ? { wQuery: same, wKey: same, wValue: same }
    : NOTES;
  const query = state.identity ? x : calculator.product(x, wQuery);
  const key = state.identity ? x : calculator.product(x, wKey);
  const value = state.identity ? x : calculator.product(x, wValue);
  const { scores, weights, output } = calculator.attention(query, key, value, state.scaled);
  return { x, wQuery, wKey, wValue, query, key, value, scores, weights, output };
}

/** The two vectors whose dot product is the cell; none for what softmax makes. */
export function factors(view: View, { of, row, column }: Spot) {
  switch (of) {
    case "query":
      return [rowOf(view.x, row), columnOf(view.wQuery, column)] as const;
    case "key":
      return [rowOf(view.x, row), columnOf(view.wKey, column)] as const;
    case "value":
      return [rowOf(view.x, row), columnOf(view.wValue, column)] as const;
    case "scores":
      return [rowOf(view.query, row), rowOf(view.key, column)] as const;
    case "weights":
      return null;
    case "output":
      return [rowOf(view.weights, row), columnOf(view.value, column)] as const;
  }
}

export function tensors(view: View): NamedTensor[] {
  const named = (name: string, { rows, columns, data }: Matrix): NamedTensor => ({
    name,
    shape: [rows, columns],
    data,
  });
  return [
    named("x", view.x),
    named("W_Q", view.wQuery),
    named("W_K", view.wKey),
    named("W_V", view.wValue),
    named("Q", view.query),
    named("K", view.key),
    named("V", view.value),
    named("S", view.scores),
    named("A", view.weights),
    named("O", view.output),
  ];
}
