// What each way to mix tokens has to remember and to do: counts, and what is measured.
import type { Calculator } from "../../lib/calculator";
import { MIXERS, parametersOf, USUAL, type Mixer } from "../../lib/mixers";
import type { Task } from "../measuring/wire";
import type { SizeState } from "./state";

const NAMES: Record<Mixer, string> = {
  attention: "attention",
  random: "synthesizer-random",
  factorized: "synthesizer-factorized",
  dense: "synthesizer-dense",
  fnet: "fnet",
  "mlp-mixer": "mlp-mixer",
  gmlp: "gmlp",
};

/** Whether it takes sequences longer than those it was made for; shorter ones; or neither. */
export const LENGTHS: Record<Mixer, "any" | "shorter" | "fixed"> = {
  attention: "any",
  random: "shorter",
  factorized: "shorter",
  dense: "shorter",
  fnet: "any",
  "mlp-mixer": "fixed",
  gmlp: "fixed",
};

export interface Counts {
  readonly parameters: number;
  readonly multiplyAdds: number;
}

/** Operations are the catalogue's, which leaves out the projections of attention: two more. */
export function counts(calculator: Calculator, { n, d }: SizeState): Record<Mixer, Counts> {
  const countsOf = (mixer: Mixer): Counts => {
    const { multiplyAdds } = calculator.use((core) =>
      core.mechanisms.find(({ name }) => name === NAMES[mixer])!.cost(n, d),
    );
    return {
      parameters: parametersOf(mixer, n, d, USUAL),
      multiplyAdds: Math.round(multiplyAdds) + (mixer === "attention" ? 2 * n * d * d : 0),
    };
  };
  return Object.fromEntries(MIXERS.map((mixer) => [mixer, countsOf(mixer)])) as Record<
    Mixer,
    Counts
  >;
}

export const SIZES = [64, 128, 256, 512, 1024, 2048] as const;

export const idOf = (mixer: Mixer, n: number): string => `${mixer} ${n}`;

export const tasks = ({ d }: SizeState): Task[] =>
  SIZES.flatMap((n) =>
    MIXERS.map((mixer): Task => ({
      id: idOf(mixer, n),
      work: { kind: "mixer", mixer, n, d },
      threads: 1,
      milliseconds: n < 1024 ? 60 : 200,
    })),
  );
