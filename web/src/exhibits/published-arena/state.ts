// Which of the published numbers are drawn, and how that is written into the address.
import type { Codec } from "../../lib/codec";
import { oneOf } from "../../lib/entries";
import { LENGTHS, TASK_NAMES } from "./data";

export const SCORES = ["mean", ...TASK_NAMES] as const;

export interface PublishedState {
  /** Thousands of tokens that were timed. */
  readonly length: (typeof LENGTHS)[number];
  readonly task: (typeof SCORES)[number];
}

const initial: PublishedState = { length: "4", task: "mean" };

export const codec: Codec<PublishedState> = {
  initial,
  write: ({ length, task }) => ({
    length: length === initial.length ? null : length,
    score: task === initial.task ? null : task,
  }),
  read: (entry) => ({
    length: oneOf(entry("length"), LENGTHS, initial.length),
    task: oneOf(entry("score"), SCORES, initial.task),
  }),
};
