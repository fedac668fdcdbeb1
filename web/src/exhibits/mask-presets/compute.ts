// Published masks and the parts they are made of, and their pairs at the sizes of published code.
import { mask, type Mask } from "qkv";
import type { Calculator } from "../../lib/calculator";
import { countOf, everything, firstOf, pictureOf, without } from "../../lib/masks";
import type { Matrix } from "../../lib/matrix";
import { valueOf, type Parameter, type Preset, type PresetState } from "./state";

export const PARTS = ["near", "far", "summary", "global", "random"] as const;
export type PartName = (typeof PARTS)[number];

export interface Made {
  readonly whole: Mask;
  /** What it is made of, in the words of the figure. */
  readonly parts: readonly (readonly [PartName, Mask])[];
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);

/** The pairs of blocks of Big Bird that are not drawn: neighbours, and the first and last block. */
function blocksOf(count: number) {
  const near: number[][] = [];
  const global: number[][] = [];
  for (const row of upTo(count)) {
    for (const column of upTo(count)) {
      if (Math.abs(row - column) <= 1) near.push([row, column]);
      if ([row, column].some((block) => block === 0 || block === count - 1)) {
        global.push([row, column]);
      }
    }
  }
  return { near, global };
}

export function presetOf(preset: Preset, state: PresetState): Made {
  const value = (name: Parameter) => valueOf(name, state);
  switch (preset) {
    case "strided": {
      const stride = value("every");
      const near = mask.window({ left: stride - 1, right: 0 });
      const whole = mask.sparseTransformer({ stride, kind: "strided" });
      return { whole, parts: [["near", near], ["far", without(whole, near)]] };
    }
    case "fixed": {
      const [stride, summary] = [value("every"), value("summary")];
      const near = mask.and(mask.blockLocal({ size: stride }), mask.causal());
      const whole = mask.sparseTransformer({ stride, kind: "fixed", summary });
      return { whole, parts: [["near", near], ["summary", without(whole, near)]] };
    }
    case "longformer": {
      const [window, dilation] = [value("window"), value("dilation")];
      const tokens = upTo(value("globals"));
      const near = mask.dilated({ radius: window, dilation });
      const whole =
        dilation === 1
          ? mask.longformer({ window, global: tokens })
          : mask.or(near, mask.global({ tokens }));
      return { whole, parts: [["near", near], ["global", without(whole, near)]] };
    }
    case "bigbird": {
      const size = value("block");
      const whole = mask.bigBird({
        blockSize: size,
        randomBlocks: value("drawn"),
        seed: state.draw,
      });
      const blocks = blocksOf(Math.ceil(state.tokens / size));
      const near = mask.blocks({ size, pairs: blocks.near });
      const global = mask.blocks({ size, pairs: blocks.global });
      const random = without(whole, mask.or(near, global));
      return { whole, parts: [["near", near], ["global", global], ["random", random]] };
    }
  }
}

export interface Shown {
  readonly allowed: Matrix;
  readonly parts: readonly { readonly name: PartName; readonly picture: Matrix }[];
  /** For each cell the number of its part, from 1 on, or 0. */
  readonly marks: Matrix;
  readonly pairs: number;
  readonly share: number;
  /** The most keys that a query sees. */
  readonly most: number;
}

export function compute(calculator: Calculator, state: PresetState): Shown {
  const { tokens, preset } = state;
  const { whole, parts } = presetOf(preset, state);
  const pictures = parts.map(([name, part]) => ({
    name,
    picture: pictureOf(calculator, part, tokens),
  }));
  const allowed = pictureOf(calculator, whole, tokens);
  const { pairs, share } = countOf(calculator, whole, tokens);
  return {
    allowed,
    parts: pictures,
    marks: firstOf(pictures.map(({ picture }) => picture), tokens),
    pairs,
    share,
    most: Math.max(...calculator.rowSums(allowed).data),
  };
}

/** The settings of the Long Range Arena's own code; the window of 512 is 256 to either side. */
export const ARENA = [
  ["full", everything],
  ["local", mask.blockLocal({ size: 20 })],
  ["longformer", mask.window({ left: 256, right: 256 })],
  ["fixed", mask.sparseTransformer({ stride: 128, kind: "fixed", summary: 32 })],
  ["bigbird", mask.bigBird({ blockSize: 64, randomBlocks: 3 })],
] as const satisfies readonly (readonly [string, Mask])[];

export type ArenaName = (typeof ARENA)[number][0];

export const arenaCounts = (calculator: Calculator, n: number) =>
  ARENA.map(([name, of]) => ({ name, ...countOf(calculator, of, n) }));
