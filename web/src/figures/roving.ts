// Moving through a figure by keyboard, the same everywhere: arrows go to the next cell, Home and
// End to the ends of the row, with Control to the corners, Page keys ten rows at a time.
import type { Cell } from "../lib/matrix";

const PAGE = 10;

interface Keys {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** The cell a key leads to, or null when the key moves nothing. */
export function moved(event: Keys, from: Cell, rows: number, columns: number): Cell | null {
  if (event.altKey) return null;
  const far = event.ctrlKey || event.metaKey;
  const { row, column } = from;
  const last = { row: rows - 1, column: columns - 1 };
  const to = (r: number, c: number): Cell => ({
    row: Math.min(Math.max(r, 0), last.row),
    column: Math.min(Math.max(c, 0), last.column),
  });
  switch (event.key) {
    case "ArrowLeft":
      return to(row, far ? 0 : column - 1);
    case "ArrowRight":
      return to(row, far ? last.column : column + 1);
    case "ArrowUp":
      return to(far ? 0 : row - 1, column);
    case "ArrowDown":
      return to(far ? last.row : row + 1, column);
    case "Home":
      return to(far ? 0 : row, 0);
    case "End":
      return to(far ? last.row : row, last.column);
    case "PageUp":
      return to(row - PAGE, column);
    case "PageDown":
      return to(row + PAGE, column);
    default:
      return null;
  }
}

/** The cell of a picture of rows and columns of one size that the pointer is in, or nearest to. */
export function cellUnder(
  event: MouseEvent,
  picture: Element,
  rows: number,
  columns: number,
): Cell {
  const box = picture.getBoundingClientRect();
  const part = (position: number, start: number, size: number, count: number) =>
    Math.min(count - 1, Math.max(0, Math.floor(((position - start) / size) * count)));
  return {
    row: part(event.clientY, box.top, box.height, rows),
    column: part(event.clientX, box.left, box.width, columns),
  };
}

export const sameCell = (a: Cell | null | undefined, b: Cell | null | undefined): boolean =>
  a?.row === b?.row && a?.column === b?.column;
