// The chapters, in reading order. A chapter is one file, loaded when it is first opened.
import type { Component } from "svelte";
import type { CoreStatus } from "../lib/core.svelte";
import type { Messages } from "../messages/en";

export type ChapterComponent = Component<{ status: CoreStatus }>;

interface ChapterText {
  readonly title: string;
  readonly summary: string;
}

export interface Chapter {
  /** Its name in the address. */
  readonly id: string;
  readonly text: (messages: Messages) => ChapterText;
  /** After the chapters, and with a letter instead of a number. */
  readonly appendix?: string;
  readonly load: () => Promise<{ default: ChapterComponent }>;
}

export const CHAPTERS: readonly Chapter[] = [
  { id: "start", text: (t) => t.start, load: () => import("./Start.svelte") },
  { id: "attention", text: (t) => t.attention, load: () => import("./Attention.svelte") },
  { id: "sets", text: (t) => t.sets, load: () => import("./Sets.svelte") },
  { id: "one-query", text: (t) => t.oneQuery, load: () => import("./OneQuery.svelte") },
  { id: "matrices", text: (t) => t.matrices, load: () => import("./Matrices.svelte") },
  { id: "heads", text: (t) => t.heads, load: () => import("./Heads.svelte") },
  { id: "position", text: (t) => t.position, load: () => import("./Position.svelte") },
  { id: "neighbours", text: (t) => t.neighbours, load: () => import("./Neighbours.svelte") },
  { id: "bill", text: (t) => t.bill, load: () => import("./Bill.svelte") },
  { id: "arena", text: (t) => t.arena, load: () => import("./Arena.svelte") },
  { id: "speed", appendix: "A", text: (t) => t.speed, load: () => import("./Speed.svelte") },
];

export const FIRST = CHAPTERS[0]!;

export function chapterNamed(id: string | null): Chapter {
  return CHAPTERS.find((chapter) => chapter.id === id) ?? FIRST;
}
