// Heads with a mask each, and how they are written into the address.
import { BadEntry, type Codec } from "../../lib/codec";
import { PATTERNS, SIZES, type Pattern } from "../../lib/masks";

export const TOKENS = 16;
export const HEADS = [2, 3, 4] as const;
export type HeadCount = (typeof HEADS)[number];

export const KINDS = [...PATTERNS, "causal", "full"] as const;
export type HeadKind = (typeof KINDS)[number];

export interface HeadMask {
  readonly kind: HeadKind;
  /** The one number of a pattern; 0 where there is none. */
  readonly size: number;
}

export interface HeadsState {
  readonly heads: readonly HeadMask[];
}

/** What a pattern starts with when it is chosen. */
const START: Record<Pattern, number> = { local: 1, stride: 2, global: 2, random: 2 };

export const isPattern = (kind: HeadKind): kind is Pattern => kind in START;
export const startOf = (kind: HeadKind): HeadMask => ({
  kind,
  size: isPattern(kind) ? START[kind] : 0,
});

const MORE: readonly HeadMask[] = PATTERNS.map(startOf);
const initial: HeadsState = { heads: MORE.slice(0, 3) };

export const withCount = (heads: readonly HeadMask[], count: HeadCount): HeadMask[] =>
  [...heads, ...MORE.slice(heads.length)].slice(0, count);

export const withHead = (heads: readonly HeadMask[], at: number, head: HeadMask): HeadMask[] =>
  heads.map((other, i) => (i === at ? head : other));

const writeHead = ({ kind, size }: HeadMask) => (isPattern(kind) ? `${kind}-${size}` : kind);
const write = (heads: readonly HeadMask[]) => heads.map(writeHead).join(",");

function readHead(text: string): HeadMask {
  const [name, digits] = text.split("-");
  const kind = KINDS.find((known) => known === name);
  if (kind === undefined) throw new BadEntry();
  const head = { kind, size: isPattern(kind) ? Number(digits) : 0 };
  if (writeHead(head) !== text) throw new BadEntry();
  if (isPattern(kind)) {
    const { least, most } = SIZES[kind];
    if (!(Number.isInteger(head.size) && head.size >= least && head.size <= most)) {
      throw new BadEntry();
    }
  }
  return head;
}

function read(text: string): HeadMask[] {
  const heads = text.split(",").map(readHead);
  if (!HEADS.some((count) => count === heads.length)) throw new BadEntry();
  return heads;
}

export const codec: Codec<HeadsState> = {
  initial,
  write: ({ heads }) => ({ heads: write(heads) === write(initial.heads) ? null : write(heads) }),
  read(entry) {
    const heads = entry("heads");
    return { heads: heads === null ? initial.heads : read(heads) };
  },
};
