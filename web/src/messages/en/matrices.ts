import { titles } from "./titles";

export const matrices = {
  ...titles.matrices,
  intro: [
    "One query was worked out by hand. A sentence of twenty words has twenty of them, and none waits for another: no query needs what a different query found. So nothing has to be done one after the other.",
    "Put the tokens below each other, as the rows of one matrix $x$. Then one product makes all queries, one makes all keys, one makes all values. Every query with every key is a product as well, and so is every weight with every value:",
  ],
  afterFormula: [
    "Softmax works on each row of the scores by itself: a row belongs to one query. For three tokens of four features, $x$ is 3 × 4, the scores are 3 × 3, and the outputs have one row per token again.",
  ],
  exhibit: "The whole of it as matrices",
  takes:
    "It takes a 3 × 4 matrix of numbers from −1000 to 1000, and switches that are on (1) or off (0).",
  convention: "A token is",
  conventions: { rows: "a row", columns: "a column, as in the notes" },
  identity: "Every W is the identity",
  cellOf: {
    query: (row: number, column: number) => `Feature ${column} of query ${row}`,
    key: (row: number, column: number) => `Feature ${column} of key ${row}`,
    value: (row: number, column: number) => `Feature ${column} of value ${row}`,
    scores: (row: number, column: number) => `Score of query ${row} with key ${column}`,
    weights: (row: number, column: number) => `Weight that query ${row} gives to key ${column}`,
    output: (row: number, column: number) =>
      `Feature ${column} of output ${row}: the weights of query ${row}, times feature ${column} of every value`,
  },
  steps: { project: "From inputs to queries, keys and values", meet: "From queries to outputs" },
  projectText:
    "Point at a cell of a result, or walk there with the arrow keys: what it is made of lights up, and the line above does the sum.",
  same: "With every $WQ$, $WK$, $WV$ the identity nothing is projected: the inputs themselves are the queries, the keys and the values.",
  meetRows:
    "A row of $Q$ and a column of $KT$ make a score. A row of $A$ and a column of $V$ make an output.",
  meetColumns:
    "The same numbers, lying on their sides: the order of every product is turned round, and softmax works on columns. A row of $KT$ and a column of $Q$ make a score; a row of $V$ and a column of $A$ make an output.",
  pooling: [
    "With the identity for every W the operation has no parameters left. It takes each vector as query, key and value at once, and pools the sequence around it. This is how a well-known textbook introduces self-attention: $pooling$.",
    "And why is one product better than a loop over the queries? It is not better arithmetic: the same numbers are multiplied and added. But a machine that is given all rows together can share what it has read among them, work on several at a time, and hand parts to several cores.",
  ],
  ways: {
    exhibit: "One by one, or in one go",
    takes: "It takes n from 1 to 64 and a seed from 1 to 9999, both whole numbers.",
    n: "n, tokens",
    seed: "seed of the random numbers",
    seedShort: "seed",
    ways: { loop: "one by one", go: "in one go" },
    threads: (count: number) => `in one go, ${count} threads`,
    pictures: {
      loop: "Outputs, one call for each query",
      go: "Outputs, one call for all queries",
    },
    token: (number: number) => `token ${number}`,
    feature: (number: number) => `feature ${number}`,
    cell: "output",
    took: (way: string, calls: number, microseconds: string) =>
      `${way}: ${calls === 1 ? "1 call" : `${calls} calls`}, ${microseconds} µs`,
    gap: (value: string) => `Largest difference between the two: ${value}`,
    table: "The outputs as a table",
    timesTitle: "Longer sequences",
    timesText:
      "Here both ways are timed for 16 to 2048 tokens of 64 features, in a worker, so that the page stays usable. Both axes are logarithmic: a straight line that rises four times as high for every doubling means a cost that grows with the square of $n$.",
    chart: "Time of all queries, one by one and in one go, over the number of tokens",
    timesTable: "The times as a table",
  },
  tries: [
    "Point at one cell of the outputs. Which numbers of $A$ and of $V$ does it need, and which not?",
    "Turn the tokens into columns. Which matrices changed places, and did any number change?",
    "Switch every W to the identity. Why is the matrix of scores now the same on both sides of its diagonal?",
    "Measure both ways. From which n on does the loop lose, and does it ever lose by more than the number of threads?",
  ],
  questions: {
    cell: {
      text: "Reset the first figure. Which number stands in row 2, column 2 of the outputs?",
      hint: "It is row 2 of $A$ times column 2 of $V$: nearly all of the weight lies on key 2.",
      explanation: (answer: string) =>
        `It is ${answer}: the weights 0.0000, 0.9820 and 0.0180 times the values 2, 8 and 6.`,
    },
    same: {
      text: "With every W the identity and no division, what is the score of the second token with itself?",
      hint: "The second input is 0, 2, 0, 2. It is its own query and its own key.",
      explanation: (answer: string) => `0 × 0 + 2 × 2 + 0 × 0 + 2 × 2 = ${answer}.`,
    },
    scores: {
      text: "How many scores are there for 2048 tokens?",
      hint: "Every query meets every key.",
      explanation: (answer: string) =>
        `${answer}, which is 2048 × 2048. Doubling the tokens makes four times as many.`,
    },
  },
  note: [
    "The notes that draw the matrices put tokens into columns. Their scores are $KTQ$ and their outputs are $VA$; the switch shows it. They call our $S$ by the letter $A$, and our $A$ by $Aprime$.",
    "Other notes define the pooling and say that each result lies in a space of $n$ dimensions. It has as many numbers as an input has features, $d$, not as many as there are tokens.",
  ],
};
