import { titles } from "./titles";

export const heads = {
  ...titles.heads,
  intro: [
    "Two words can belong together for more than one reason: one is the subject of the other, or they rhyme, or they stand next to each other. A single set of weights has to say all of that with one number for each pair. So attention is made several times at once, each time with queries, keys and values of its own. Each of these is called a **head**.",
    "Nothing new is computed for it. The features of $Q$, $K$ and $V$ are dealt out: with $h$ heads, each takes $d$ divided by $h$ of them, and does attention with these alone. Queries of head 1 meet only keys of head 1:",
  ],
  afterFormula: [
    "The results are put side by side again, and a last matrix $WO$ mixes them, so that what one head has found can meet what another has. How many heads there are is a choice made before training.",
  ],
  exhibit: "Two heads by hand",
  takes:
    "It takes 1, 2 or 4 heads, a 3 × 4 matrix of inputs and 4 × 4 matrices of weights, with numbers from −1000 to 1000.",
  count: "Number of heads",
  steps: {
    split: "The features are dealt out",
    apart: "Each head by itself",
    join: "Side by side, and mixed",
  },
  splitText:
    "Above each column of $Q$, $K$ and $V$ stands the head that owns it. Here every projection is the identity, so that you can see what each head looks at: its own features of the inputs.",
  projections: "The weights of the projections",
  apartText:
    "Each head has scores, weights and outputs of its own; the scores are divided by the root of its own width. One head finds that tokens 1 and 3 are alike, the other finds 1 and 2.",
  joinText:
    "The outputs of the heads stand next to each other and are multiplied by $WO$. This one adds the two heads in its first two columns and subtracts them in the last two.",
  weights: (head: number) => `head ${head}`,
  values: (head: number) => `values ${head}`,
  outputs: (head: number) => `outputs ${head}`,
  joined: "all heads",
  result: "result",
  tensors: {
    weights: (head: number) => `weights of head ${head}`,
    values: (head: number) => `values of head ${head}`,
    outputs: (head: number) => `outputs of head ${head}`,
    joined: "outputs of all heads, side by side",
    wOutput: "W_O, weights that mix the heads",
    result: "result of the layer",
  },
  gap: (value: string) =>
    `The core’s own multi-head layer, given the same matrices, differs by at most ${value}.`,
  cellOfHead: (head: number, row: number, column: number) =>
    `Head ${head}, output ${row}, feature ${column}: the weights of query ${row}, times that feature of every value`,
  cellOfResult: (row: number, column: number) =>
    `Result ${row}, feature ${column}: all heads’ outputs for token ${row}, times column ${column} of the last matrix`,
  beforeLayer: [
    "A real layer works the same way with wider vectors. The code of the notes makes one with 100 features and 5 heads and shows it two sequences of four tokens, of which only 3 and 2 are real; the rest is padding, and nobody may look at it. A mask sees to that.",
    "The layer has four matrices of 100 × 100, whatever the number of heads: more heads only cut the same columns into thinner strips.",
  ],
  layer: {
    exhibit: "The textbook’s layer",
    takes:
      "It takes 1 to 20 heads, an input of ones or of random numbers, sequence 1 or 2, and a head to look at.",
    count: "h, number of heads",
    countShort: "$h$",
    input: "Input",
    inputs: { ones: "ones, as in the notes’ code", random: "random numbers" },
    training: "As in training, with dropout 0.5",
    refused: "The core makes no such layer. It says:",
    divisors:
      "100 features can be dealt out evenly to 1, 2, 4, 5, 10 or 20 heads, up to the twenty of this slider.",
    facts: {
      output: "shape of the output",
      weights: "shape of the weights",
      width: "features of a head",
      parameters: "parameters of the layer",
    },
    weights: "Who looks at whom",
    weightsText:
      "One table of weights for each head. The columns of padding are exactly 0, and what remains adds up to 1.",
    sequence: "Sequence",
    sequences: (number: number, valid: number) => `${number}, with ${valid} real tokens of 4`,
    heads: "Heads",
    head: (number: number) => `head ${number}`,
    headTitle: (number: number) => `weights of head ${number} in the chosen sequence`,
    outputs: "What comes out",
    outputsText:
      "One row of 100 numbers for each token. From an input of ones every token gets the same row, since all values are alike and weights that add up to 1 cannot change that.",
    outputLabel: "output",
    outputTitle: "Output of the chosen sequence, 4 tokens by 100 features",
    outputTable: "The output as a table",
    rowGap: (value: string) => `Largest difference between its rows: ${value}`,
  },
  tries: [
    "Set the number of heads to 1. The two kinds of likeness now share one set of weights: what becomes of them?",
    "Set it to 4. A head of one feature can still tell large from small. What can it no longer tell?",
    "Change $WO$ so that the result shows head 2 alone.",
    "Break it: set the textbook’s layer to 3 heads and read what the core says.",
    "Give the layer random numbers. Which of its heads look alike, and are the columns of padding still exactly 0?",
  ],
  questions: {
    first: {
      text: "Two heads, nothing changed: how much weight does query 1 give to key 3 in head 1?",
      hint: "In head 1, tokens 1 and 3 have the same two features, and token 2 has others.",
      explanation: (answer: string) =>
        `${answer}. The scores are 4, 0 and 4, divided by √2. The rest of the weight goes to token 1 itself and a little to token 2.`,
    },
    one: {
      text: "And with a single head of four features?",
      hint: "Now the score of a pair is the sum over all four features, divided by √4.",
      explanation: (answer: string) =>
        `${answer}. The scores 8, 4 and 4 are divided by 2: tokens 2 and 3 are both half alike, and the head cannot say in what.`,
    },
    valid: {
      text: "In the textbook’s layer with an input of ones, what is each weight of the second sequence that is not 0?",
      hint: "All scores are equal, and two tokens are real.",
      explanation: (answer: string) => `${answer}: equal scores share the whole weight equally.`,
    },
    parameters: {
      text: "How many parameters has the layer with 20 heads?",
      hint: "Four matrices, without biases. Does their size depend on the heads?",
      explanation: (answer: string) => `${answer}, which is 4 × 100 × 100, as with any other number.`,
    },
  },
  note: [
    "The notes say that the last matrix is there to reduce the width. It can; in most models it does not: all heads together are as wide as the input, and so is the result. Its work is to mix.",
    "The notes multiply each query by two more matrices to get two. Dealing out the columns of one product is the same thing: two matrices side by side are one matrix.",
  ],
};
