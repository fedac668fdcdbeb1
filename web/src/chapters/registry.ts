// The chapters, in reading order. A chapter is one file, loaded when it is first opened.
import type { Component } from "svelte";
import type { CoreStatus } from "../lib/core.svelte";
import type { Part } from "../lib/language.svelte";
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
  /** Sentences that it needs besides those that are always there. */
  readonly parts?: readonly Part[];
  readonly load: () => Promise<{ default: ChapterComponent }>;
}

export const CHAPTERS: readonly Chapter[] = [
  { id: "start", text: (t) => t.start, load: () => import("./Start.svelte") },
  {
    id: "attention",
    text: (t) => t.titles.attention,
    parts: ["attention", "realData"],
    load: () => import("./Attention.svelte"),
  },
  {
    id: "sets",
    text: (t) => t.titles.sets,
    parts: ["sets", "realData"],
    load: () => import("./Sets.svelte"),
  },
  {
    id: "one-query",
    text: (t) => t.oneQuery,
    load: () => import("./OneQuery.svelte"),
  },
  {
    id: "matrices",
    text: (t) => t.titles.matrices,
    parts: ["matrices"],
    load: () => import("./Matrices.svelte"),
  },
  {
    id: "heads",
    text: (t) => t.titles.heads,
    parts: ["heads"],
    load: () => import("./Heads.svelte"),
  },
  {
    id: "position",
    text: (t) => t.titles.position,
    parts: ["position", "order"],
    load: () => import("./Position.svelte"),
  },
  {
    id: "neighbours",
    text: (t) => t.titles.neighbours,
    parts: ["neighbours", "textLine", "realData"],
    load: () => import("./Neighbours.svelte"),
  },
  {
    id: "bill",
    text: (t) => t.titles.bill,
    parts: ["bill"],
    load: () => import("./Bill.svelte"),
  },
  {
    id: "masks",
    text: (t) => t.titles.masks,
    parts: ["masks"],
    load: () => import("./Masks.svelte"),
  },
  {
    id: "content",
    text: (t) => t.titles.content,
    parts: ["content"],
    load: () => import("./Content.svelte"),
  },
  {
    id: "fewer-keys",
    text: (t) => t.titles.fewerKeys,
    parts: ["fewerKeys", "sets"],
    load: () => import("./FewerKeys.svelte"),
  },
  {
    id: "reorder",
    text: (t) => t.titles.reorder,
    parts: ["reorder"],
    load: () => import("./Reorder.svelte"),
  },
  {
    id: "without",
    text: (t) => t.titles.without,
    parts: ["without"],
    load: () => import("./Without.svelte"),
  },
  {
    id: "arena",
    text: (t) => t.titles.arena,
    parts: ["arena"],
    load: () => import("./Arena.svelte"),
  },
  {
    id: "speed",
    appendix: "A",
    text: (t) => t.titles.speed,
    parts: ["speed"],
    load: () => import("./Speed.svelte"),
  },
];

export const FIRST = CHAPTERS[0]!;

export function chapterNamed(id: string | null): Chapter {
  return CHAPTERS.find((chapter) => chapter.id === id) ?? FIRST;
}
