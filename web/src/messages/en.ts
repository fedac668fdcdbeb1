// English. The other languages have the same keys; the compiler and a test see to that.
// Markup of the sentences: see figures/Text.svelte.

import { measuring } from "./en/measuring";
import { attention } from "./en/attention";
import { sets } from "./en/sets";
import { queryMore } from "./en/query-more";
import { matrices } from "./en/matrices";
import { heads } from "./en/heads";
import { order } from "./en/order";
import { bill } from "./en/bill";
import { neighbours } from "./en/neighbours";
import { arena } from "./en/arena";

export const messages = {
  app: {
    title: "Attention, number by number",
    description:
      "Attention, from one query by hand to the whole family. Every number is computed live in the page.",
    skip: "Skip to the chapter",
    chapters: "Chapters",
    language: "Language",
    theme: "Colours",
    themes: { system: "As the system", light: "Light", dark: "Dark" },
    previous: "Previous",
    next: "Next",
    loading: "The core is loading…",
    chapterFailed: "This chapter could not be loaded. Reload the page to try again.",
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
    passed: "worked example OK",
    differs: (row: number, column: number, value: string, expected: string) =>
      `differs: output row ${row}, column ${column} is ${value}, expected ${expected}`,
    words: "Words",
    wordsText: "The terms in the three languages of this course:",
  },

  attention,
  sets,
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

  queryMore,
  position: {
    title: "Position",
    summary: "How order gets into a set of vectors",
    intro: [
      "Attention has no sense of order. If two tokens trade places, their outputs trade places too, and nothing else happens. For *dog bites man* and *man bites dog* that is not enough.",
      "So the position is written into the token itself: to row $i$ of the input $X$ a vector is added that belongs to position $i$. All these vectors are the rows of one matrix $P$, with as many columns as the input has features. The classic choice needs no training:",
    ],
    afterFormula:
      "Columns come in pairs, a sine and a cosine that turn at the same speed, and every next pair turns more slowly. Read a row as the hands of a clock with many hands: the fast ones tell neighbours apart, the slow ones tell the beginning from the end.",
    exhibit: "The matrix of positions",
    takes:
      "It takes 1 to 200 positions, 2 to 128 columns, a dropout from 0 to 0.9, up to six columns, and numbers from −1000 to 1000.",
    positions: "n, positions",
    features: "d, columns",
    dropout: "p, dropout",
    seed: "seed of the dropout",
    seedShort: "seed",
    lines: "Columns as curves",
    linesHint: "Each curve is one column of the matrix, from the first position to the last.",
    chart: (columns: string) => `Curves of the columns ${columns} over the position`,
    chartHint:
      "Left and right arrow keys go along the positions, up and down to the next curve, Escape leaves.",
    axisPosition: "position",
    columnsShown: "Columns",
    addColumn: "Add column",
    removeColumn: (column: number) => `Remove column ${column}`,
    columnRange: (most: number) => `It takes a column from 0 to ${most} that is not shown yet.`,
    sixColumns: "Six curves are the most. Remove one first.",
    heat: "The whole matrix",
    heatTitle: (rows: number, columns: number) =>
      `Heat map of the encoding, ${rows} positions by ${columns} columns`,
    heatHint: "Enter adds the column to the curves or takes it away.",
    position: (row: number) => `position ${row}`,
    column: (column: number) => `column ${column}`,
    cell: "value",
    table: "The curves as a table",
    heatTable: "The matrix as a table",
    golden: "Some rows in numbers",
    periods: "How long a turn takes",
    periodsText:
      "Moving one position on turns each pair of columns by its angle $omegaj$; the core returns the cosine and the sine of it. A full turn takes $period$ positions. As a proof, the core turns by exactly that many positions: the pair comes back, with cosine 1 and sine 0, but for rounding.",
    period: {
      pair: "columns",
      cosine: "$cosine$",
      sine: "$sine$",
      period: "period",
      back: "after one period: cosine, sine",
    },
    pairName: (even: number, odd: number) => `${even} and ${odd}`,
    sum: "Your own input",
    sumText:
      "The layer adds $P$ to its input. Type an input $X$ for these positions and columns; everywhere else it is 0, as in the code of the notes.",
    sumDropped:
      "With dropout, each number of the sum is set to 0 with probability $p$, and the others are multiplied by $keep$ to keep the average. The seed decides which.",
    firstRow: "from position",
    firstRowShort: "from",
    tensors: {
      X: "X, your input",
      P: "P, the encoding",
      sum: "X + P",
      dropped: "X + P after dropout",
      rotation: "rotation by one position",
    },
    rotation:
      "Why a sine *and* a cosine? Because one step along the sequence is then one small rotation of each pair, and the rotation is the same wherever it starts:",
    afterRotation:
      "A model that wants to know what stands three places to the left can learn one matrix for it, and it works at every position.",
    note: [
      "The notes say that odd and even columns have different periods. Columns $evenColumn$ and $oddColumn$ share one period and are a quarter turn apart; the period changes from one pair to the next.",
      "In their formula for the rotation an index got lost: the first entry of the vector is the encoding of position $i$, column $evenColumn$.",
      "Their code draws columns 6 to 9 for 60 positions and 32 columns without dropout. That is where the figure starts.",
    ],
    tries: [
      "Find the two columns that change fastest, and the two that hardly move over 60 positions.",
      "Show columns 8 and 9 alone. How far is the cosine ahead of the sine?",
      "Raise the dropout to 0.5 and change the seed: which pattern stays?",
      "Double the number of columns. Which pair has now the period that columns 8 and 9 had?",
    ],
  },

  measuring,
  matrices,
  heads,
  order,
  bill,
  arena,
  neighbours,
  speed: {
    title: "Speed",
    summary: "How fast the core is, beside others, and on your machine",
    intro: [
      "Attention is the costly part of a transformer, so it matters how fast it is computed. On this page the core that draws all the figures of this course stands beside other libraries that do the same work: the same inputs, outputs compared before any time counts, each library in its own fastest way.",
      "Everything here was measured by `npm run bench`, nothing is a round number from a leaflet. What was not reached is shown as well. And the part that runs in a browser you can measure again on your own machine.",
    ],
    exhibit: "One call, measured",
    takes: (least: number, most: number) =>
      `It takes one of the calls in the list, and ${least} to ${most} seconds.`,
    choose: "Call",
    shapes: {
      "3x3": "The worked example’s size, 3 tokens",
      small: "A small call, 64 tokens",
      bert: "A layer’s attention in BERT-base, 512 tokens",
      bias: "BERT-base with a bias added to the scores",
      lengths: "A batch of four texts of unequal length",
      long: "A long text, 2048 tokens",
      causal: "2048 tokens, each sees only those before it",
      wide: "Wide heads, 128 features",
      decode: "Writing the next token after 2048",
      "decode-grouped": "The same, four heads sharing keys and values",
      layer: "A whole layer, with its four projections",
    },
    fromArrays: (name: string) => `${name}, inputs copied in on every call`,
    longShapes: {
      full: (tokens: string) => `${tokens} tokens, all pairs`,
      window: (tokens: string) => `${tokens} tokens, each sees 256 to either side`,
      blocks: (tokens: string) => `${tokens} tokens, the blocks of Big Bird`,
    },
    sizes: (batch: string, heads: string, queries: string, keys: string, features: string) =>
      `Batch ${batch}, heads ${heads}, queries ${queries}, keys ${keys}, features per head ${features}.`,
    chart: (name: string) =>
      `${name}. The longer the bar, the faster; the time is that of one call, and × says how many times as fast as onnxruntime on one thread in the same place.`,
    places: {
      native: "Native programs",
      node: "WebAssembly in Node",
      browser: "WebAssembly in a browser (Chromium)",
      now: "In your browser, just now",
    },
    limits: {
      compute: (rate: string, time: string) =>
        `The most that one thread can multiply and add: ${rate} GFLOP/s, ${time} for this call`,
      memory: (rate: string, time: string) =>
        `The most that one thread can read from memory: ${rate} GB/s, ${time} for this call`,
    },
    table: "These bars as a table",
    tableTitle: (name: string) => `Recorded times: ${name}`,
    ownTable: "Times on your machine",
    columns: {
      contender: "Library",
      threads: "Threads",
      first: "First call",
      steady: "Steady state",
      spread: "Spread",
      flops: "GFLOP/s",
      bytes: "GB/s",
      call: "Call",
      way: "How",
      samples: "Samples",
      ratio: "What is compared",
      value: "Measured",
      aim: "Aim",
    },
    noNumber: "–",
    oneThread: "1 thread",
    threads: (count: string) => `${count} threads`,
    microseconds: (value: string) => `${value} µs`,
    milliseconds: (value: string) => `${value} ms`,
    mebibytes: (value: string) => `${value} MiB`,
    gibibytes: (value: string) => `${value} GiB`,
    percent: (value: string) => `${value} %`,
    times: (value: string) => `${value}×`,
    firstShort: (time: string) => `first ${time}`,
    own: "On your machine",
    measureText:
      "Measures the same calls in a worker, so that the page stays usable, once for each kind of WebAssembly that your browser has. The inputs are the benchmark’s. The bars appear above, striped, in the chart of their call. It takes about as many seconds as you set.",
    noThreads: "The core runs on one thread here, so that is what is measured.",
    notIsolated:
      "This page is not cross-origin isolated, so the browser gives it no threads: one is measured.",
    seconds: "Time for everything together, in seconds",
    secondsShort: "Time",
    measure: "Measure on this machine",
    stop: "Stop",
    progress: "Measuring",
    starting: "Starting…",
    doing: (percent: number, call: string, way: string) => `${percent} %: ${call}; ${way}`,
    finished: "Measured. Your bars stand beside the recorded ones.",
    stopped: "Stopped. What had been measured by then is shown.",
    stoppedEarly: "Stopped before the first result.",
    failed: "It could not be measured. The reason given:",
    withoutCore: "The core did not load, so nothing can be measured here; see below.",
    machine: "Where the recorded numbers come from",
    facts: {
      processor: "Processor",
      cores: "Cores",
      memory: "Memory",
      system: "System",
      date: "Date",
      backend: "Native instruction set",
    },
    blas:
      "How fast PyTorch multiplies matrices depends on the library it finds for that, which is named beside its version.",
    absent: (who: string, threads: string) => `Did not take part: ${who} on ${threads}. The reason:`,
    aims: "What was aimed at",
    aimsText: [
      "Before the core was tuned, an aim was set for each of these ratios. A ratio is taken between calls that ran one right after the other, again and again, and the one in the middle counts. That is steadier than comparing the times of the chart above, and may differ from them a little.",
    ],
    reachedOf: (reached: number, aims: number) => `${reached} of ${aims} aims reached`,
    ratios: {
      speed: (who: string, other: string, call: string) =>
        `${call}: how many times as fast ${who} is as ${other}`,
      peak: (who: string, call: string) =>
        `${call}: part of the possible multiply-adds that ${who} makes`,
      reading: (who: string, call: string) =>
        `${call}: part of the possible memory speed that ${who} reaches`,
      call: (who: string, call: string) => `${call}: time of a call of ${who}`,
      threads: (who: string, call: string, count: string) =>
        `${call}: how many times as fast ${who} is on ${count} threads as on one`,
      causal: (who: string) => `Time when each sees only those before it, of the full time, ${who}`,
      window: (who: string, width: string) =>
        `Time when each of 8,192 tokens sees ${width} to either side, of the full time, ${who}`,
      bias: (who: string) => `Time with a bias added to the scores, of the time without, ${who}`,
      firstCall: (who: string, call: string) =>
        `${call}: how many times as long the very first call of ${who} takes as a later one`,
      longWindow: (who: string, width: string, tokens: string) =>
        `Time when each of ${tokens} tokens sees ${width} to either side, of the full time, ${who}`,
      memory: (who: string, tokens: string) =>
        `Memory beyond input and output for ${tokens} tokens, ${who}`,
      load: (who: string) => `Time to load the core of ${who}`,
      transfer: "Time to bring a million numbers into WebAssembly and out again",
      frames: (tokens: string) =>
        `Frames a second that the page draws while a worker attends to ${tokens} tokens`,
      longestFrame: "Longest time without a new frame meanwhile",
    },
    atLeast: (value: string) => `at least ${value}`,
    atMost: (value: string) => `at most ${value}`,
    noAim: "none",
    verdicts: {
      exceeded: "exceeded",
      reached: "reached",
      missed: "not reached",
    },
    tries: [
      "Choose the call of 3 tokens and then the one of 2048. In which of them is the way to the library longer than the work?",
      "Compare 2048 tokens with and without the causal mask. Half of the pairs are left out: is half of the time?",
      "Writing the next token reads all keys and values once and does little with them. Which line limits it, and what would help?",
      "Measure on your machine and on your phone. Does the first call cost more than the later ones?",
    ],
  },
};

export type Messages = typeof messages;
