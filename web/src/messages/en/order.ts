// Position, continued: tokens that trade places, binary clocks, and the rotation.
export const order = {
  exhibit: "Tokens that trade places",
  takes:
    "It takes the five tokens in some order, as numbers from 1 to 5, and positions on (1) or off (0).",
  how: "The same five tokens go through the same attention, in two orders. Exchange neighbours with ⇄, or drag a token to another place. To attention, the far ends of a sentence are as close as next door.",
  tokens: ["dog", "bites", "the", "old", "man"],
  newOrder: "The new order",
  swap: (left: string, right: string) => `Exchange ${left} and ${right}`,
  nowReads: (sentence: string) => `Now: ${sentence}`,
  positions: "Add $P$, the positions, before attention",
  original: "outputs in the original order",
  permuted: "outputs in the new order",
  feature: (column: number) => `feature ${column + 1}`,
  cell: "output",
  gap: "Largest difference between $OofPiX$ and $piOofX$:",
  same: "The rows have traded places and nothing else has happened. What is left are roundings: sums were added up in another order.",
  moved:
    "Now every row has changed: a token at another place is another vector, and so are the outputs of those that look at it.",
  clock: {
    before:
      "Computers write positions in another way: in bits. The last bit changes at every step, the one before it at every second, the next at every fourth. The waves do the same thing smoothly.",
    exhibit: "Two clocks",
    takes: "It takes one of the two bases, 10000 or 16.",
    base: "Waves",
    bases: {
      "10000": "base 10000, as in the formula",
      "16": "base 16: each pair takes twice as long as the one before",
    },
    bits: "bits",
    bitsTitle: "positions in bits, the fastest bit first",
    bit: (column: number) => `bit ${column}`,
    bitCell: "bit",
    flipsTitle: "How often each bit changes",
    column: "column",
    flips: "changes in 16 rows",
    every: "rows between two changes",
  },
  turn: {
    exhibit: "A step is a turn",
    takes:
      "It takes a start from 0 to 59, a step from −30 to 30 and a pair from 0 to 15, all whole numbers.",
    from: "i, where the step starts",
    delta: "δ, positions to move on",
    pair: "j, pair of columns",
    circle: (from: number, to: number) =>
      `Unit circle: the pair at position ${from}, and turned on, at position ${to}`,
    matrixLabel: "turn",
    matrix: "rotation of this pair",
    here: "here",
    there: "there",
    text: "Move the start: the two vectors run round the circle, and the matrix stays as it is. Move the step or choose another pair: now it changes.",
    worst: (value: string) =>
      `Over all 60 starts and all 16 pairs, the turned vectors differ from the core’s own table by at most ${value}.`,
  },
  tries: [
    "Bring the five tokens into your own order. Which numbers of the outputs change? Then add the positions.",
    "Set the waves to base 16 and compare each pair of columns with the bit that has half its period.",
    "Set the step to −5 and back to 5. Which two numbers of the matrix change their sign, and why only these?",
  ],
  questions: {
    flips: {
      text: "How often does bit 1, the second one, change from row 0 to row 15?",
      hint: "It changes at every second row, but not before row 2.",
      explanation: (answer: string) =>
        `${answer} times: in rows 2, 4, 6, 8, 10, 12 and 14.`,
    },
    distance: {
      text: "Take any row of the encoding with 32 columns and multiply it with itself. What is the dot product?",
      hint: "A sine and a cosine of the same angle: the sum of their squares is 1. How many pairs are there?",
      explanation: (answer: string) =>
        `${answer}: one for each of the 16 pairs. All positions are vectors of the same length.`,
    },
    cosine: {
      text: "For a step of 5 positions, what is the first number of the matrix of pair 3?",
      hint: "It is the cosine of 5 times the angle of one step; the last figure shows it.",
      explanation: (answer: string) => `${answer}, the cosine of 5 × 0.1778.`,
    },
  },
};
