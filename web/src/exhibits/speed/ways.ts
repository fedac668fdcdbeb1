import type { Backend } from "qkv";
import type { Configuration } from "./wire";

/**
 * The ways to compute that this browser has, by what the page's own core found: it runs the best
 * variant, on all threads that there are.
 */
export function waysOf({ variant, threads }: Backend): Configuration[] {
  const ways: Configuration[] = [];
  for (const count of threads > 1 ? ([1, "auto"] as const) : ([1] as const)) {
    ways.push({ variant: "simd128", threads: count });
    if (variant === "relaxed") ways.push({ variant: "relaxed", threads: count });
  }
  return ways;
}
