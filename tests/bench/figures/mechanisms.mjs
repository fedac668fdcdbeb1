// Every mechanism of the catalogue over growing lengths, natively: how time grows, whether it is
// faster than exact attention by what its formula promises, and how much memory it takes.
import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { growth } from "../growth.mjs";

export const names = ["mechanisms"];

// Multiply-adds of the longest call: of 16384 tokens by exact attention, or 8192.
const MOST = 4e10;
const MOST_QUICK = 1e10;

export async function measure({ built, chosen, quick }) {
  if (!chosen.some(({ name }) => name === "qkv native")) return { results: [], ratios: [] };
  const program = join(dirname(built.native), "qkv-bench-mechanisms");
  const { stdout } = await promisify(execFile)(program, [String(quick ? MOST_QUICK : MOST)], {
    maxBuffer: 1 << 24,
  });
  const results = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  return { results: [], ratios: [], mechanisms: { results, ratios: growth(results) } };
}
