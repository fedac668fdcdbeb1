// A convolution, a recurrence and attention beside each other: counts, and the path through them.
// Counting is not the core's work; how far a change travels is.
import type { Calculator } from "../../lib/calculator";
import type { Task } from "../measuring/wire";
import type { SizeState } from "./state";

export const KINDS = ["conv", "rnn", "attention"] as const;
export type Kind = (typeof KINDS)[number];

/** Multiplications that are also additions. */
export function multiplyAdds(kind: Kind, { n, d, k }: SizeState): number {
  return kind === "conv" ? k * n * d * d : kind === "rnn" ? n * d * d : 2 * n * n * d;
}

/** Steps of which each must wait for the one before. */
export const sequentialSteps = (kind: Kind, { n }: SizeState): number => (kind === "rnn" ? n : 1);

/**
 * How many stacked convolutions it takes until the first token is noticed at the last: found by
 * changing the first and running the core's kernel again and again. All weights are 1, so that no
 * change can cancel out; it moves k - 1 places with each layer.
 */
export function convolutionPath(calculator: Calculator, { n, k }: SizeState): number {
  const weight = { data: new Float32Array(k).fill(1), shape: [1, 1, k] };
  let signal = new Float32Array(n);
  signal[0] = 1;
  let layers = 0;
  while (signal[n - 1] === 0 && layers < n) {
    const x = { data: signal, shape: [n, 1] };
    const { output } = calculator.use((core) =>
      core.conv1d(x, weight, undefined, { left: k - 1 }),
    );
    // Only whether something has arrived matters; large numbers would overflow.
    signal = output.data.map((value) => (value === 0 ? 0 : 1));
    layers += 1;
  }
  return layers;
}

/** The same for attention: whether one layer is enough. */
export function attentionPath(calculator: Calculator, { n }: SizeState): number {
  const nothing = { data: new Float32Array(n), shape: [n, 1] };
  const signal = new Float32Array(n);
  signal[0] = 1;
  const { output } = calculator.use((core) =>
    core.attention(nothing, nothing, { data: signal, shape: [n, 1] }),
  );
  return output.data[n - 1] === 0 ? Number.POSITIVE_INFINITY : 1;
}

/** A recurrence hands a change on from state to state: counted from the first that feels it. */
export function recurrencePath(calculator: Calculator, { n }: SizeState): number {
  const x = new Float32Array(n);
  x[0] = 1;
  const one = { data: Float32Array.of(1), shape: [1, 1] };
  const { output } = calculator.use((core) => core.rnn({ data: x, shape: [n, 1] }, one, one));
  return output.data.filter((state) => state !== 0).length - 1;
}

export function paths(calculator: Calculator, state: SizeState): Record<Kind, number> {
  return {
    conv: convolutionPath(calculator, state),
    rnn: recurrencePath(calculator, state),
    attention: attentionPath(calculator, state),
  };
}

export const tasks = ({ n, d, k }: SizeState): Task[] =>
  KINDS.map((kind): Task => ({
    id: kind,
    work:
      kind === "conv"
        ? { kind, n, d, k }
        : kind === "rnn"
          ? { kind, n, d }
          : { kind, n, d, heads: 1 },
    threads: 1,
    milliseconds: 600,
  }));
