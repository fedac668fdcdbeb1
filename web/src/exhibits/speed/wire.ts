// What the page and its measuring worker say to each other.
import type { Variant } from "qkv";
import type { Timing } from "./sampling";

export interface Configuration {
  readonly variant: Variant;
  /** One, or as many as the machine gives. */
  readonly threads: 1 | "auto";
}

/** To the worker: measure everything in this way. */
export interface Order extends Configuration {
  readonly milliseconds: number;
}

/** From the worker. */
export type News =
  | { readonly kind: "loaded"; readonly threads: number }
  | { readonly kind: "step"; readonly shape: string; readonly part: number }
  | { readonly kind: "measured"; readonly shape: string; readonly timing: Timing }
  | { readonly kind: "refused"; readonly shape: string; readonly reason: string }
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "finished" };
