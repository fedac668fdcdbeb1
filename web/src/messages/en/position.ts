import { titles } from "./titles";

export const position = {
  ...titles.position,
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
};
