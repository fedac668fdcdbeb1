import { LINE_STYLES } from "../../figures/line-styles";

/** Gives every curve a style that it keeps while it is shown, whatever comes and goes beside it. */
export class LineStyles {
  readonly #given = new Map<number, number>();

  of(columns: readonly number[]): number[] {
    for (const column of this.#given.keys()) {
      if (!columns.includes(column)) this.#given.delete(column);
    }
    return columns.map((column) => {
      let style = this.#given.get(column);
      if (style === undefined) {
        const taken = new Set(this.#given.values());
        style = Array.from({ length: LINE_STYLES }, (_, i) => i).find((i) => !taken.has(i)) ?? 0;
        this.#given.set(column, style);
      }
      return style;
    });
  }
}
