// What the reader can set about the masked example, and how it is written into the address.
import { BadEntry, type Codec } from "../../lib/codec";
import { oneOf } from "../../lib/entries";
import { matrix, type Matrix } from "../../lib/matrix";

export const TOKENS = 3;
/** What the score of a pair that is left out becomes. */
export const WAYS = ["infinity", "zero"] as const;
export type Way = (typeof WAYS)[number];

export interface MaskedState {
  /** One bit for each pair, row by row: 1 where the query may see the key. */
  readonly keep: string;
  readonly way: Way;
}

const CAUSAL = "100110111";
const initial: MaskedState = { keep: CAUSAL, way: "infinity" };

export const allowed = (keep: string): Matrix => matrix(TOKENS, TOKENS, Array.from(keep, Number));

export const withCell = (keep: string, index: number, on: boolean): string =>
  keep.slice(0, index) + (on ? "1" : "0") + keep.slice(index + 1);

function readKeep(text: string): string {
  if (!/^[01]{9}$/.test(text)) throw new BadEntry();
  return text;
}

export const codec: Codec<MaskedState> = {
  initial,
  write: ({ keep, way }) => ({
    keep: keep === initial.keep ? null : keep,
    way: way === initial.way ? null : way,
  }),
  read(entry) {
    const keep = entry("keep");
    return {
      keep: keep === null ? initial.keep : readKeep(keep),
      way: oneOf(entry("way"), WAYS, initial.way),
    };
  },
};
