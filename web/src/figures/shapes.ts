// Shapes that tell the marks of a figure apart without colour, as SVG paths in a cell of 1 × 1.

export const SHAPES = ["square", "circle", "cross", "triangle", "diamond", "open"] as const;
export type Shape = (typeof SHAPES)[number];

const OUTLINES: Record<Shape, readonly [x: number, y: number, rest: string]> = {
  square: [0.12, 0.12, "h.76v.76h-.76z"],
  circle: [0.12, 0.5, "a.38 .38 0 1 0 .76 0a.38 .38 0 1 0-.76 0z"],
  cross: [0.36, 0.08, "h.28v.28h.28v.28h-.28v.28h-.28v-.28h-.28v-.28h.28z"],
  triangle: [0.5, 0.1, "l.43 .78h-.86z"],
  diamond: [0.5, 0.04, "l.46 .46l-.46 .46l-.46-.46z"],
  // A frame: the inner square runs the other way round and so leaves a hole.
  open: [0.15, 0.15, "h.7v.7h-.7zm.14 .14v.42h.42v-.42z"],
};

/** The shape in the cell whose upper left corner is here. */
export function outline(shape: Shape, column: number, row: number): string {
  const [x, y, rest] = OUTLINES[shape];
  return `M${(column + x).toFixed(2)} ${(row + y).toFixed(2)}${rest}`;
}
