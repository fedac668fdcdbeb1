// What the reader can set about the recording, and how it is written into the address.
import { numbers } from "../../lib/entries";

export const LIMITS = {
  frames: { least: 300, most: 1000, step: 10 },
  radius: { least: 1, most: 200 },
  frame: { least: 0, most: 999 },
} as const;

export interface SpeechState {
  readonly frames: number;
  readonly radius: number;
  /** The frame that asks. */
  readonly frame: number;
}

const initial: SpeechState = { frames: 400, radius: 20, frame: 150 };

export const codec = numbers(initial, LIMITS);
