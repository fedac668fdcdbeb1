// Groups differ in the shape of their marks and in colour, so that colour alone never carries the
// difference. A fifth mark is for what belongs to none.
import { lineStyle } from "./line-styles";

export const GROUPS = 4;
/** The mark of what is in no group, or in two. */
export const NO_GROUP = GROUPS;

export const markColour = (mark: number): string =>
  mark < GROUPS ? lineStyle(mark).colour : "var(--ink-soft)";

/** In text: the same shapes as in the pictures. */
export const MARK_SIGNS = ["●", "■", "▲", "◆", "✕"] as const;

const round = (value: number) => Math.round(value * 100) / 100;

function polygon(x: number, y: number, points: readonly (readonly [number, number])[]): string {
  return `M${points.map(([dx, dy]) => `${round(x + dx)} ${round(y + dy)}`).join("L")}Z`;
}

/** The outline of a mark around (x, y), about as large as a circle of radius r. */
export function markPath(mark: number, x: number, y: number, r: number): string {
  switch (mark) {
    case 0: {
      const radius = round(r);
      return `M${round(x - r)} ${round(y)}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0Z`;
    }
    case 1: {
      const half = 0.886 * r;
      return polygon(x, y, [
        [-half, -half],
        [half, -half],
        [half, half],
        [-half, half],
      ]);
    }
    case 2:
      return polygon(x, y, [
        [0, -1.35 * r],
        [1.2 * r, 0.8 * r],
        [-1.2 * r, 0.8 * r],
      ]);
    case 3:
      return polygon(x, y, [
        [0, -1.25 * r],
        [1.25 * r, 0],
        [0, 1.25 * r],
        [-1.25 * r, 0],
      ]);
    default: {
      const [far, near] = [1.1 * r, 0.4 * r];
      return polygon(x, y, [
        [-far, near - far],
        [near - far, -far],
        [0, -near],
        [far - near, -far],
        [far, near - far],
        [near, 0],
        [far, far - near],
        [far - near, far],
        [0, near],
        [near - far, far],
        [-far, far - near],
        [-near, 0],
      ]);
    }
  }
}
