import { readFileSync } from "node:fs";
import type { Tolerance } from "./compare.js";

export interface GoldenTensor {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

export interface GoldenCase {
  readonly name: string;
  readonly operation: string;
  readonly arguments: readonly unknown[];
  readonly options?: unknown;
  readonly expected?: Readonly<Record<string, GoldenTensor | number>>;
  readonly error?: { readonly code: string; readonly mentions: readonly string[] };
  readonly tolerance?: Tolerance;
}

/** The cases of a file of tests/golden, its tensors with Float32Arrays. */
export function readGolden(name: string): readonly GoldenCase[] {
  const text = readFileSync(new URL(`../../golden/${name}.json`, import.meta.url), "utf8");
  const file = JSON.parse(text) as { format: string; version: number; cases: unknown };
  if (file.format !== "qkv-golden" || file.version !== 1)
    throw new Error(`${name}: unknown format`);
  return revive(file.cases) as readonly GoldenCase[];
}

// Non-finite numbers are written as words; a null stands for an argument that is left out.
function revive(value: unknown): unknown {
  if (value === null) return undefined;
  if (Array.isArray(value)) return value.map(revive);
  if (typeof value !== "object") return value;
  if ("data" in value && "shape" in value) {
    return { ...value, data: Float32Array.from(value.data as unknown[], Number) };
  }
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, revive(entry)]));
}
