import type { Codec } from "../../lib/codec";
import { number, writeNumber } from "../../lib/entries";

/** The number of features is 2 to this power. */
export const POWER = { least: 0, most: 10, step: 1 } as const;

export interface RootState {
  readonly power: number;
}

const initial: RootState = { power: 6 };

export const dimOf = ({ power }: RootState): number => 2 ** power;

export const codec: Codec<RootState> = {
  initial,
  write: ({ power }) => ({ power: writeNumber(power, initial.power) }),
  read: (entry) => ({ power: number(entry("power"), POWER, initial.power) }),
};
