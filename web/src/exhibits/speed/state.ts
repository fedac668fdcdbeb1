// What the reader can set on the page about speed, and how it is written into the address.
import { BadEntry, type Codec } from "../../lib/codec";
import { SHAPES } from "./report";

export interface SpeedState {
  /** The call whose times are drawn. */
  readonly shape: string;
  /** How long measuring again may take. */
  readonly seconds: number;
}

export const SECONDS = { least: 2, most: 60, step: 1 } as const;

const initial: SpeedState = {
  shape: SHAPES.includes("bert") ? "bert" : SHAPES[0]!,
  seconds: 20,
};

export const codec: Codec<SpeedState> = {
  initial,
  write: ({ shape, seconds }) => ({
    shape: shape === initial.shape ? null : shape,
    seconds: seconds === initial.seconds ? null : String(seconds),
  }),
  read(entry) {
    const shape = entry("shape") ?? initial.shape;
    const seconds = entry("seconds") ?? String(initial.seconds);
    if (!SHAPES.includes(shape) || !/^\d{1,2}$/.test(seconds)) throw new BadEntry();
    if (Number(seconds) < SECONDS.least || Number(seconds) > SECONDS.most) throw new BadEntry();
    return { shape, seconds: Number(seconds) };
  },
};
