// What the page and its timing worker say to each other.
import type { Timing } from "../speed/sampling";
import type { Work } from "./works";

export interface Task {
  readonly id: string;
  readonly work: Work;
  /** One, or as many as the machine gives. */
  readonly threads: 1 | "auto";
  /** How long measuring it may take. */
  readonly milliseconds: number;
}

export type News =
  | { readonly kind: "step"; readonly id: string; readonly part: number }
  | { readonly kind: "measured"; readonly id: string; readonly timing: Timing }
  | { readonly kind: "refused"; readonly id: string; readonly reason: string }
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "finished" };
