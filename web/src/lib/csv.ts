import { forFile } from "./numbers";

/** A tensor of any rank as the drawer and the CSV see it. */
export interface NamedTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

/** One line per row of the last axis; a first comment line names the tensor and its shape. */
export function toCsv({ name, shape, data }: NamedTensor): string {
  const width = shape.at(-1) ?? 1;
  const lines = [`# ${name} [${shape.join(", ")}]`];
  for (let start = 0; start < data.length; start += width) {
    lines.push(Array.from(data.subarray(start, start + width), forFile).join(","));
  }
  return `${lines.join("\n")}\n`;
}
