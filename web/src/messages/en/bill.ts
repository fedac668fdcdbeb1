import { titles } from "./titles";

export const bill = {
  ...titles.bill,
  intro: [
    "Every query meets every key. With three tokens that is nine scores, with a thousand it is a million. Doubling the text makes four times as many: this is the bill that attention sends.",
    "It is paid in time, and, if the matrix of scores is kept, in memory too. A 32-bit number takes 4 bytes, so 4096 tokens need 64 MiB for one head of one layer.",
  ],
  exhibit: "The square",
  takes: "It takes a power of two for the number of tokens, from 4 to 16.",
  power: "2 to the p tokens, choose p",
  powerShort: "$powerOfTwo$",
  facts: {
    tokens: "tokens",
    pairs: "pairs, counted by the core",
    size: "one number for each pair",
  },
  mebibytes: (value: string) => `${value} MiB`,
  gibibytes: (value: string) => `${value} GiB`,
  timesTitle: "On this machine",
  timesText:
    "Three steps are timed one by one, on one thread, each with the whole matrix in memory: scores, softmax, and weights times values. Beside them stands one call of attention, which never keeps the matrix: it goes through the keys in tiles. A cost that grows with the square has the exponent 2.",
  n: "n, tokens",
  steps: {
    scores: "scores",
    softmax: "softmax",
    sum: "weighted sum",
    attention: "all in one call",
  },
  chart: "Time of the steps of attention over the number of tokens",
  exponent: "exponent",
  exponentOf: (step: string) => `exponent of ${step}, from 512 tokens on`,
  table: "The times as a table",
  beforeShare: [
    "Is that much? It depends on what stands beside it. A block of a transformer also has four projections and a feed-forward layer, which is $r$ times as wide inside, usually four times. These work on each token alone, so they grow with $n$, but with the square of the width $d$. Counting each multiplication and each addition:",
  ],
  afterCosts: [
    "Both are equal when $n$ is $twoPlusR$ times $d$; for the usual $r4$ that is six times the width. Below it, a faster attention hardly shows; beyond it, attention is most of the work.",
  ],
  share: {
    exhibit: "When does it matter?",
    takes:
      "It takes n from 64 to 32768 and d from 64 to 1024, both in steps of 64, and r from 1 to 8.",
    n: "n, tokens",
    d: "d, features of a token",
    ratio: "r, width of the feed-forward layer, in d",
    bars: "Multiplications and additions in one block",
    blockOf: (n: string) => `${n} tokens`,
    parts: { attention: "attention", rest: "projections and feed-forward" },
    percent: (value: string) => `${value} %`,
    operations: (count: string) => `${count} operations`,
    crossing: (n: string) => `Half of the work is attention at n = ${n}.`,
    curveTitle: "The share of attention",
    curveText:
      "The line is counted. The squares are measured: the time of attention, with heads of 64 features, and the time of the rest, on one thread in a worker. They lie off the line where one kind of work runs faster than the other.",
    chart: "Share of attention in a block over the number of tokens",
    shareOf: "share of attention",
    counted: "counted",
    measured: "measured",
    pieces: { attention: "attention", linear: "projections and feed-forward" },
    table: "The shares as a table",
  },
  tries: [
    "Go up to 65,536 tokens, the pixels of a picture of 256 by 256. How large is the matrix, and how much memory has your machine?",
    "Measure. Which of the three steps costs the most, and is the call that does all of them slower or faster than their sum?",
    "Make the tokens narrower. Does attention matter earlier or later?",
    "Break it: ask for a billion tokens in the field of n.",
  ],
  questions: {
    size: {
      text: "How many MiB does one number for each pair take with 8192 tokens?",
      hint: "4096 tokens need 64 MiB. What does doubling do?",
      explanation: (answer: string) => `${answer} MiB, four times as much.`,
    },
    crossing: {
      text: "In a block with 768 features and r = 4, at how many tokens is attention half of the work?",
      hint: "It is (2 + r) times d.",
      explanation: (answer: string) => `${answer}, which is 6 × 768.`,
    },
    long: {
      text: "With 512 features and r = 4, what share of the work is attention at 4096 tokens?",
      hint: "Attention takes n parts for every 6d parts of the rest.",
      explanation: (answer: string) => `${answer}: 4096 of 4096 + 3072.`,
    },
  },
  note: [
    "The notes say that the square matters only when n is large, as with pictures. True; the figure says how large: six times the width in a usual block. At n = d attention is only a seventh of the work.",
  ],
};
