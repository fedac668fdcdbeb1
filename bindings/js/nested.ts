// Nested arrays: their shape, whether they have one, and their elements one after the other.
import { place, seen } from "./seen.js";

/** A level of a nested array. */
export type Row = ArrayLike<unknown>;

const MAX_RANK = 64;

/**
 * The lengths along the first element of each level and the first leaf; 0 stands for the leaf of an
 * empty array. No shape when there are too many levels, as in an array that holds itself.
 */
export function nestedShape(array: Row): { shape: number[] | undefined; leaf: unknown } {
  const shape: number[] = [];
  let level: unknown = array;
  while (isRow(level)) {
    if (shape.length === MAX_RANK) return { shape: undefined, leaf: undefined };
    shape.push(level.length);
    if (level.length === 0) return { shape, leaf: 0 };
    level = level[0];
  }
  return { shape, leaf: level };
}

/** The first row that is not as long as `shape` says, in words. */
export function raggedness(array: Row, shape: readonly number[]): string | undefined {
  return raggedRow(array, shape, []);
}

function raggedRow(level: Row, shape: readonly number[], at: number[]): string | undefined {
  const axis = at.length + 1;
  if (axis >= shape.length) return undefined;
  for (let index = 0; index < level.length; ++index) {
    const row = level[index];
    if (!isRow(row)) return `${seen(row)} at ${place([...at, index])}`;
    if (row.length !== shape[axis]) {
      return `rows of ${shape[axis]} and ${row.length} at ${place([...at, index])}`;
    }
    if (axis + 1 < shape.length) {
      at.push(index);
      const problem = raggedRow(row, shape, at);
      if (problem !== undefined) return problem;
      at.pop();
    }
  }
  return undefined;
}

/** Writes all leaves into `target` from `start` on. The first that is not a `type` comes back in words. */
export function fill(
  array: Row,
  shape: readonly number[],
  type: "number" | "boolean",
  target: Float64Array | Uint8Array,
  start: number,
): string | undefined {
  const end = fillLevel(array, shape.length - 1, type, target, start);
  return end >= 0 ? undefined : wrongLeaf(array, shape, -1 - end - start);
}

// Returns the end of what was written or, negative, the place of a wrong leaf.
function fillLevel(
  level: Row,
  below: number,
  type: "number" | "boolean",
  target: Float64Array | Uint8Array,
  start: number,
): number {
  const { length } = level;
  let at = start;
  if (below > 0) {
    for (let index = 0; index < length && at >= 0; ++index) {
      at = fillLevel(level[index] as Row, below - 1, type, target, at);
    }
    return at;
  }
  for (let index = 0; index < length; ++index) {
    const leaf = level[index];
    if (typeof leaf !== type) return -1 - at;
    target[at++] = Number(leaf);
  }
  return at;
}

function wrongLeaf(array: Row, shape: readonly number[], position: number): string {
  const indices: number[] = [];
  let rest = position;
  for (let axis = shape.length - 1; axis >= 0; --axis) {
    indices.unshift(rest % shape[axis]);
    rest = Math.floor(rest / shape[axis]);
  }
  const leaf = indices.reduce<unknown>((level, index) => (level as Row)[index], array);
  return `${seen(leaf)} at ${place(indices)}`;
}

function isRow(value: unknown): value is Row {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
}
