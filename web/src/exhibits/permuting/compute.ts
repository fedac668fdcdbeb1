// The same tokens in two orders, through the same attention.
import type { Calculator } from "../../lib/calculator";
import type { NamedTensor } from "../../lib/csv";
import { largest, selectRows, type Matrix } from "../../lib/matrix";
import { TOKENS, type OrderState } from "./state";

const FEATURES = 8;
const SEED = 11;

export interface Orders {
  readonly x: Matrix;
  readonly permuted: Matrix;
  readonly output: Matrix;
  readonly outputOfPermuted: Matrix;
  /** The first output, its rows brought into the new order. */
  readonly permutedOutput: Matrix;
  /** Largest difference of the last two. */
  readonly gap: number;
}

export function compute(calculator: Calculator, { order, positions }: OrderState): Orders {
  const x = calculator.normal(TOKENS, FEATURES, SEED);
  const permuted = selectRows(x, order);
  const [wQuery, wKey, wValue] = [1, 2, 3].map((stream) =>
    calculator.normal(FEATURES, FEATURES, SEED + stream),
  ) as [Matrix, Matrix, Matrix];
  // The positions belong to the places, not to the tokens, so they are added after the exchange.
  const attended = (tokens: Matrix): Matrix => {
    const given = positions ? calculator.encoded(tokens, 0, 0) : tokens;
    return calculator.attention(
      calculator.product(given, wQuery),
      calculator.product(given, wKey),
      calculator.product(given, wValue),
      true,
    ).output;
  };
  const output = attended(x);
  const outputOfPermuted = attended(permuted);
  const permutedOutput = selectRows(output, order);
  const gap = largest(calculator.difference(outputOfPermuted, permutedOutput));
  return { x, permuted, output, outputOfPermuted, permutedOutput, gap };
}

export function tensors(made: Orders): NamedTensor[] {
  const named = (name: string, { rows, columns, data }: Matrix): NamedTensor => ({
    name,
    shape: [rows, columns],
    data,
  });
  return [
    named("x", made.x),
    named("x_permuted", made.permuted),
    named("O", made.output),
    named("O_permuted", made.permutedOutput),
    named("O_of_permuted", made.outputOfPermuted),
  ];
}
