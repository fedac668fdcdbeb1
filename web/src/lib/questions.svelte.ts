// The questions at the end of a chapter: what is asked, how an answer is read and judged, and what
// the reader has answered so far, kept for the session of the page.
import { SvelteMap } from "svelte/reactivity";
import type { Core } from "./core.svelte";
import { readTyped } from "./numbers";

export interface Question {
  /** Its name among the chapter's questions, and of its sentences in the message files. */
  readonly id: string;
  /** The right answer, computed by the core when it is needed. */
  readonly answer: (core: Core) => number;
  /** How far from it an answer may lie. */
  readonly tolerance: number;
  /** Whether the answer is a share, which may be given as "47 %" too. */
  readonly share?: boolean;
  /** How many decimals of the answer are shown; 4 if not said. */
  readonly decimals?: number;
}

export interface QuestionText {
  readonly text: string;
  readonly hint: string;
  /** Shown after answering, with the right answer as it is written. */
  readonly explanation: (answer: string) => string;
}

const LIMIT = 1e12;

/** The number that was typed, or null. A percent sign is read only where it makes sense. */
export function readAnswer(text: string, share: boolean): number | null {
  const normal = text.normalize("NFKC").trim();
  const percent = share && normal.endsWith("%");
  const typed = readTyped(percent ? normal.slice(0, -1) : normal, LIMIT);
  if ("problem" in typed) return null;
  return percent ? typed.value / 100 : typed.value;
}

// What 32-bit floats and decimal fractions may differ at the edge of the tolerance.
const ROUNDING = 1e-6;

export function isRight(given: number, answer: number, tolerance: number): boolean {
  return Math.abs(given - answer) <= tolerance + ROUNDING * Math.max(tolerance, Math.abs(answer));
}

export interface Attempt {
  readonly typed: string;
  readonly verdict: "right" | "wrong" | "unreadable" | "told";
}

const KEY = "qkv-answers";

function stored(): [string, Attempt][] {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "[]");
    return Array.isArray(value) ? (value as [string, Attempt][]) : [];
  } catch {
    return []; // storage switched off, or not what was put there
  }
}

class Attempts {
  readonly #made = new SvelteMap<string, Attempt>(stored());

  /** By the name of the chapter and of the question. */
  of(chapter: string, id: string): Attempt | undefined {
    return this.#made.get(`${chapter}/${id}`);
  }

  set(chapter: string, id: string, attempt: Attempt): void {
    this.#made.set(`${chapter}/${id}`, attempt);
    try {
      sessionStorage.setItem(KEY, JSON.stringify([...this.#made]));
    } catch {
      // The answers then last until the page is closed or loaded again.
    }
  }
}

export const attempts = new Attempts();
