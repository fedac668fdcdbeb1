import { titles } from "./titles";

export const speed = {
  ...titles.speed,
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
};
