// The kinds of things that stand in the address entries of exhibits: written short, read with care.
import { BadEntry, type Codec } from "./codec";
import { matrix, type Matrix } from "./matrix";
import { forFile, readTyped } from "./numbers";

export function writeMatrix({ rows, columns, data }: Matrix): string {
  return Array.from({ length: rows }, (_, row) =>
    Array.from(data.subarray(row * columns, (row + 1) * columns), forFile).join(","),
  ).join(";");
}

export function readMatrix(text: string, { rows, columns }: Matrix): Matrix {
  const lines = text.split(";").map((line) => line.split(","));
  if (lines.length !== rows || lines.some((line) => line.length !== columns)) throw new BadEntry();
  const numbers = lines.flat().map((cell) => {
    const typed = readTyped(cell);
    if ("problem" in typed) throw new BadEntry();
    return typed.value;
  });
  return matrix(rows, columns, numbers);
}

export function oneOf<T extends string>(
  text: string | null,
  choices: readonly T[],
  otherwise: T,
): T {
  if (text === null) return otherwise;
  const found = choices.find((choice) => choice === text);
  if (found === undefined) throw new BadEntry();
  return found;
}

export function flag(text: string | null, otherwise: boolean): boolean {
  return oneOf(text, ["0", "1"], otherwise ? "1" : "0") === "1";
}

/** The entry of a switch; none where it stands as it did at the start. */
export const writeFlag = (value: boolean, initial: boolean): string | null =>
  value === initial ? null : value ? "1" : "0";

export interface Limits {
  readonly least: number;
  readonly most: number;
  /** Distance of the numbers that are taken, from the least on; 1 where there is none. */
  readonly step?: number;
}

export function number(text: string | null, limits: Limits, otherwise: number): number {
  if (text === null) return otherwise;
  const { least, most, step = 1 } = limits;
  const typed = readTyped(text, most);
  if ("problem" in typed || typed.value < least) throw new BadEntry();
  const steps = (typed.value - least) / step;
  if (Math.abs(steps - Math.round(steps)) > 1e-9) throw new BadEntry();
  return typed.value;
}

export const writeNumber = (value: number, initial: number): string | null =>
  value === initial ? null : forFile(value);

/** A state of numbers, each an entry under its own name, or under the one that `names` has for it. */
export function numbers<T extends { readonly [K in keyof T]: number }>(
  initial: T,
  limits: { readonly [K in keyof T]: Limits },
  names: { readonly [K in keyof T]?: string } = {},
): Codec<T> {
  const keys = Object.keys(initial) as (keyof T & string)[];
  const entries = keys.map((key) => [key, names[key] ?? key] as const);
  return {
    initial,
    write: (state) =>
      Object.fromEntries(entries.map(([key, name]) => [name, writeNumber(state[key], initial[key])])),
    read: (entry) =>
      Object.fromEntries(
        entries.map(([key, name]) => [key, number(entry(name), limits[key], initial[key])]),
      ) as T,
  };
}
