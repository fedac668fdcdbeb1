// English. The other languages have the same keys; the compiler and a test see to that.
// Markup of the sentences: see figures/Text.svelte.

import type { attention } from "./en/attention";
import type { sets } from "./en/sets";
import type { position } from "./en/position";
import type { speed } from "./en/speed";
import type { queryMore } from "./en/query-more";
import type { matrices } from "./en/matrices";
import type { heads } from "./en/heads";
import type { order } from "./en/order";
import type { bill } from "./en/bill";
import type { neighbours } from "./en/neighbours";
import type { masks } from "./en/masks";
import type { content } from "./en/content";
import type { fewerKeys } from "./en/fewer-keys";
import type { reorder } from "./en/reorder";
import type { without } from "./en/without";
import type { arena } from "./en/arena";
import type { textLine } from "./en/text-line";
import type { realData } from "./en/real-data";
import { course } from "./en/course";
import { measuring } from "./en/measuring";
import { titles } from "./en/titles";

export const base = {
  app: {
    ...course,
    skip: "Skip to the chapter",
    chapters: "Chapters",
    language: "Language",
    theme: "Colours",
    themes: {
      system: "As the system",
      light: "Light",
      dark: "Dark",
      contrast: "High contrast",
    },
    previous: "Previous",
    next: "Next",
    loading: "The core is loading…",
    chapterFailed: "This chapter could not be loaded. Reload the page to try again.",
    offlineReady: "Ready offline: the whole course is on this device.",
  },
  failed: {
    title: "The numbers cannot be computed",
    why: "The WebAssembly module that computes them did not load. It says:",
    whatToDo: "What to do",
    steps: [
      "Reload the page.",
      "If you opened it as a file, serve it instead: `npm start` does that and prints the address.",
      "If you serve it yourself, look whether the `.wasm` file lies where the sentence above says, and arrives as `application/wasm`.",
      "If your browser is older than Chrome 111, Firefox 113 or Safari 16.4, update it.",
    ],
    exhibit: "This figure could not be computed. The core says:",
    readOn: "The text of the chapters can be read all the same.",
  },
  exhibit: {
    undo: "Undo",
    reset: "Reset",
    addressRefused:
      "The address of this page holds something the figure cannot use, so it was left out.",
    takesNumber: (least: number, most: number, step: number) =>
      step === 1
        ? `It takes a whole number from ${least} to ${most}.`
        : `It takes a number from ${least} to ${most}, in steps of ${step}.`,
  },
  grid: {
    cell: (row: string, column: string, name: string, value: string) =>
      `${row}, ${column}, ${name} ${value}`,
    place: (row: string, column: string) => `${row}, ${column}`,
    edit: (row: string, column: string) => `New number for ${row}, ${column}`,
    editHint: "Arrow keys move, Enter changes the number, Escape leaves.",
    heatHint: "Arrow keys move from cell to cell, Escape leaves.",
    columnsHint: "Left and right arrow keys go from column to column, Escape leaves.",
    notANumber: (text: string) =>
      `“${text}” is not a number. A cell takes numbers such as 2, −0.5 or 1e-3; the last good one stays.`,
    outOfRange: (limit: number) =>
      `A cell takes numbers from −${limit} to ${limit}; the last good one stays.`,
  },
  table: {
    earlierRows: "Earlier rows",
    laterRows: "Later rows",
    earlierColumns: "Earlier columns",
    laterColumns: "Later columns",
    page: (r0: number, r1: number, rows: number, c0: number, c1: number, columns: number) =>
      `rows ${r0 + 1} to ${r1 + 1} of ${rows}, columns ${c0 + 1} to ${c1 + 1} of ${columns}`,
  },
  numbers: {
    title: "All numbers of this figure",
    how: (variant: string, threads: number, calls: number, microseconds: string) =>
      `Computed by the core (${variant}, ${threads === 1 ? "1 thread" : `${threads} threads`}): ${
        calls === 1 ? "1 call" : `${calls} calls`
      }, ${microseconds} µs.`,
    show: "Show",
    showLabel: (name: string) => `Show ${name}`,
    copy: "Copy as CSV",
    copyLabel: (name: string) => `Copy ${name} as CSV`,
    copied: (name: string) => `${name} is in the clipboard.`,
    copyByHand: "The browser does not let the page use the clipboard. Copy from here:",
    values: (name: string) => `Values of ${name}`,
  },
  legend: {
    scale: (from: string, to: string) => `Colour scale from ${from} to ${to}`,
  },
  source: { title: "A note on the source" },
  tryIt: "Things to try",
  questions: {
    title: "Questions",
    how: "Type a number. The core works out the answer; a little rounding is fine.",
    check: "Check",
    hint: "Hint",
    tell: "Show the answer",
    right: "Right.",
    wrong: "Not right yet. Try again, or look at the hint.",
    told: "Here is the answer:",
    takes: "The field takes a number such as 12, 0.47 or −3.",
    takesShare: "The field takes a number such as 0.47, or a percentage such as 47 %.",
  },

  start: {
    title: "Start here",
    summary: "What this is, and how to read its figures",
    lead: "This is a course about attention, the operation at the heart of every transformer. It takes you from one query worked out by hand to the machinery of real models, in small steps and with real numbers.",
    live: "Nothing here is a drawing of numbers. Each one is computed on your machine while you read, by the same core that the library `qkv` brings to programs. Change a number, and everything that follows from it changes.",
    reading: "How to read the figures",
    matrices:
      "A matrix stands in brackets, one row per token. Its colour says what it is, everywhere the same:",
    tones: {
      input: "inputs",
      query: "queries",
      key: "keys",
      value: "values",
      weight: "weights",
      output: "outputs",
    },
    editable:
      "A number with a dotted line under it is yours to change: click it, or press Enter on it.",
    keyboard: "By keyboard",
    keys: [
      { keys: "Tab", does: "goes from figure to figure, and into a matrix" },
      { keys: "← ↑ → ↓", does: "move from cell to cell; each one is spoken" },
      { keys: "Enter", does: "changes a number, and accepts it" },
      { keys: "Esc", does: "drops the change, then leaves the matrix" },
    ],
    core: "The core on this machine",
    coreText:
      "This is the part that computes. The self-test runs the first worked example and compares it with results that were worked out separately.",
    facts: {
      version: "Version",
      variant: "Instruction set",
      threads: "Threads",
      isolated: "Cross-origin isolated",
      size: "Module",
      time: "Ready after",
      timer: "Timer step",
      test: "Self-test",
    },
    yes: "yes",
    no: "no",
    bytes: (kilobytes: string) => `${kilobytes} kB`,
    unknownSize: "not told by the browser",
    milliseconds: (value: string) => `${value} ms`,
    timerStep: (isolated: boolean) => (isolated ? "5 µs" : "100 µs"),
    oneThread:
      "This host does not send the two headers that isolate a page (`Cross-Origin-Opener-Policy` and `Cross-Origin-Embedder-Policy`), so the browser gives it one thread and a coarser timer. The numbers are the same; what is measured takes longer.",
    passed: "worked example OK",
    differs: (row: number, column: number, value: string, expected: string) =>
      `differs: output row ${row}, column ${column} is ${value}, expected ${expected}`,
    words: "Words",
    wordsText: "The terms in the three languages of this course:",
  },

  oneQuery: {
    title: "One query by hand",
    summary: "The whole of attention on three small vectors",
    intro: [
      "Attention answers one question again and again: *given what I am looking for, from whom should I take information, and how much?* What is looked for is the **query**. What each candidate shows for comparison is its **key**. What is taken from it is its **value**.",
      "In self-attention all three come from the same vectors. Each token is a row $x$, and three matrices, found by training, make its query, its key and its value: $x$ times $WQ$, $x$ times $WK$, $x$ times $WV$.",
      "The new vector of a token is then a weighted average of everybody’s values. How much weight token $j$ gets from token $i$ depends on one number, the score of query $qi$ with key $kj$:",
    ],
    afterFormula:
      "A larger score gives a larger weight, and the weights of one query add up to 1. That is the whole of it. Here it is with numbers small enough to check in your head.",
    exhibit: "A worked example, step by step",
    takes:
      "It takes a preset, a step, and matrices of numbers from −1000 to 1000 in the shapes of the preset.",
    preset: "Numbers",
    presets: {
      notes: "Three inputs from the notes",
      words: "Thinking Machines, 512 → 64",
      identity: "Three inputs, every W the identity",
    },
    divide: "Divide the scores by $sqrtdk$",
    seed: "seed",
    shuffle: "New random numbers",
    table: "Weights used",
    exact: "exact",
    printed: "as printed in the source",
    printedOnly:
      "The source prints a table for its own numbers only: first preset, nothing changed, no division.",
    stepLabel: (number: number, count: number) => `Step ${number} of ${count}`,
    back: "Back",
    forward: "Next",
    play: "Play",
    pause: "Pause",
    steps: {
      key: {
        name: "Keys",
        text: "Each input, multiplied by $WK$, gives a key: what the token shows to those who look.",
      },
      query: {
        name: "Queries",
        text: "The same inputs, multiplied by $WQ$, give the queries: what each token looks for.",
      },
      value: {
        name: "Values",
        text: "Multiplied by $WV$ they give the values: what each token hands over when it is chosen.",
      },
      score: {
        name: "Scores",
        text: "Every query meets every key. Their dot product is the score: large when the two point the same way.",
      },
      scale: {
        name: "Scaling",
        text: "Dot products grow with the number of features $dk$. Dividing by $sqrtdk$ keeps them in a range where softmax still tells shades apart.",
        off: "The division is switched off, as in the code of the notes: the scores go on as they are. The switch above turns it on.",
      },
      softmax: {
        name: "Softmax",
        text: "Softmax turns each row of scores into weights: all positive, together 1. Exponentials make the lead of the best key larger.",
      },
      weigh: {
        name: "Weighted values",
        text: "Each value row is multiplied by the weight it got. One table per key: what that key contributes to every query.",
        printed:
          "This is the table printed in the source. It uses weights rounded to 0, 0.5, 0.9 and 1; compare with the exact ones.",
      },
      sum: {
        name: "Sum",
        text: "Adding up the contributions of all keys gives the output: one new vector per token.",
        printed:
          "The source stops before the sum. Adding up its rounded table gives this; the exact result and the gap stand below.",
      },
    },
    tensors: {
      x: "x, inputs",
      wKey: "W_K, weights that make keys",
      wQuery: "W_Q, weights that make queries",
      wValue: "W_V, weights that make values",
      key: "K, keys",
      keyT: "K transposed, one key per column",
      query: "Q, queries",
      value: "V, values",
      dot: "S, scores",
      scores: "S divided by the square root of d_k",
      weights: "A, weights",
      rowSum: "sum of each row of weights",
      weighted: (key: string) => `values of ${key}, weighted`,
      output: "O, outputs",
      exactOutput: "O, exact",
      gap: "exact minus printed",
    },
    names: {
      input: (name: string) => `input ${name}`,
      key: (name: string) => `key ${name}`,
      query: (name: string) => `query ${name}`,
      value: (name: string) => `value ${name}`,
      output: (name: string) => `output ${name}`,
      feature: (number: number) => `feature ${number}`,
      featureIn: (number: number) => `input feature ${number}`,
      featureOut: (number: number) => `output feature ${number}`,
      sum: "sum",
    },
    cells: {
      number: "number",
      score: "score",
      weight: "weight",
      sum: "sum",
      weighted: "weighted value",
      gap: "gap",
    },
    perKey: (key: string) => `from key ${key}`,
    exactShort: "exact",
    gapShort: "gap",
    working: {
      ofProducts: (count: number) => `${count} products, added up`,
      rowSum: "together",
    },
    overview: "All of it at a glance",
    overviewHint: "Choose one to see how it is made.",
    goTo: (name: string) => `Go to the step: ${name}`,
    largestGap: (gap: string, row: number, column: number) =>
      `The largest gap is ${gap}, in row ${row}, column ${column}.`,
    classic: (a: string, b: string, sa: string, sb: string, wa: string, wb: string) =>
      `For this pair of words the scores are often told as ${a} and ${b}. Divided by 8, the root of 64, they are ${sa} and ${sb}, and softmax gives ${wa} and ${wb}.`,
    classicHere: (seed: number) =>
      `The vectors here are random, but their lengths were chosen so that the first query of seed ${seed} has just those scores. Another seed gives others.`,
    note: [
      "The example comes from lecture notes in Chinese. They print exact softmax weights, but the table after it was made from rounded ones: 0, 0.5, 0.5 in the first row, where the first should at least have become 0.1. The switch “as printed in the source” shows their table.",
      "Their text divides the scores by 8, their code does not divide. Both are possible here.",
      "They call the shape of a weight matrix $source64$, but compute $xW$, which needs the transpose. On these pages a token is always a row.",
      "They end with the weighted values. The sum, which is the result of attention, is step 8.",
    ],
    tries: [
      "Set the second input to zeros. Its key becomes zero, and so do its scores. Why does it still get weight?",
      "Switch the division by $sqrtdk$ on and watch the largest weight of query 2.",
      "Make every number of $WQ$ zero. All scores are equal: what is the output now?",
      "Take the preset with the identity. Query, key and value are the input itself; each score says how much two inputs overlap.",
    ],
  },


  measuring,
  titles,
};

/** Sentences that are loaded with the chapters that use them, each from the file of its name. */
export interface Parts {
  readonly attention: typeof attention;
  readonly sets: typeof sets;
  readonly position: typeof position;
  readonly speed: typeof speed;
  readonly queryMore: typeof queryMore;
  readonly matrices: typeof matrices;
  readonly heads: typeof heads;
  readonly order: typeof order;
  readonly bill: typeof bill;
  readonly neighbours: typeof neighbours;
  readonly masks: typeof masks;
  readonly content: typeof content;
  readonly fewerKeys: typeof fewerKeys;
  readonly reorder: typeof reorder;
  readonly without: typeof without;
  readonly arena: typeof arena;
  readonly textLine: typeof textLine;
  readonly realData: typeof realData;
}

export type Base = typeof base;
export type Messages = Base & Parts;
