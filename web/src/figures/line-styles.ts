// Curves differ in colour and in their dashes, so that colour alone never carries the difference.

const STYLES = [
  { colour: "var(--query)", dash: "none" },
  { colour: "var(--key)", dash: "7 3" },
  { colour: "var(--value)", dash: "2 3" },
  { colour: "var(--weight)", dash: "9 3 2 3" },
  { colour: "var(--warning)", dash: "4 4" },
  { colour: "var(--input)", dash: "12 4" },
  { colour: "var(--output)", dash: "3 2 9 2" },
] as const;

export const LINE_STYLES = STYLES.length;

export function lineStyle(index: number): (typeof STYLES)[number] {
  return STYLES[index % STYLES.length]!;
}
