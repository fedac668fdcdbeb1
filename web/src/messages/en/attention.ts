import { titles } from "./titles";

export const attention = {
  ...titles.attention,
  intro: [
    "Look at a crowded picture: most of it reaches the eye, and hardly any of it reaches the mind. A face, a sign, something that moves gets nearly everything; the rest gets a little, just in case. That is attention: a fixed amount of interest, dealt out unevenly.",
    "To compute it, give every item a number that says how much it stands out, its score. Then turn the scores into **weights**: shares that are never negative and add up to 1. The usual way is **softmax**. How unevenly it deals is set by a temperature $tau$:",
  ],
  afterFormula:
    "With two items of score 2 and 4 and $tau$ = 1 the second gets 88 % of the weight. The cooler, the more the best takes all; the hotter, the more alike all become.",
  focus: {
    title: "Sixty-four items, one focus",
    takes:
      "It takes a temperature from 2 to the power −4 to 2 to the power 10, and items marked with a level from 1 to 4.",
    heat: "log₂ τ, the temperature as a power of two",
    temperature: "temperature $tau$",
    largest: "largest weight",
    bits: "entropy, in bits",
    needed: "items for 90 % of the weight",
    saliency: "salience",
    saliencyTitle: "How much each of the 64 items stands out",
    weights: "weight",
    weightsTitle: "The weight of each of the 64 items",
    level: "level",
    row: (row: number) => `row ${row}`,
    column: (column: number) => `column ${column}`,
    choose: "Choose an item in the left picture to make it stand out by one level more.",
    chooseHint: "Enter raises the item by one level; after the fourth it is 0 again.",
    columns: "The 64 weights side by side",
    table: "The weights as a table",
  },
  stagesTitle: "Three stages",
  stagesText: [
    "Where do the scores come from? From a comparison. Somebody looks for something, and that is the **query** $q$. Each candidate shows what it has, and that is its **key** $k$. What it hands over is its **value**, which may be something else altogether.",
    "First, compare the query with each key: a score. Second, softmax: a weight. Third, add up the values, each times its weight. Everything in this course is a variation on these three stages.",
  ],
  stages: {
    title: "Score, weight, sum",
    takes:
      "It takes one of the presets, one of the three similarities, and matrices of numbers from −1000 to 1000 in the shapes of the preset.",
    preset: "Numbers",
    presets: { notes: "Query 1 of the worked example", five: "Five pairs" },
    similarity: "Similarity",
    similarities: { dot: "dot product", cosine: "cosine", additive: "a small network" },
    tensors: {
      query: "q, the query",
      scores: "the scores of the query with each key",
      weights: "the weights of the keys",
      weighted: "the values, each times its weight",
      output: "b, the output",
    },
    stage1: "Stage 1: scores",
    how: {
      dot: "Query times key, feature by feature, and added up. For the first key of the worked example: 1 × 0 + 0 × 1 + 2 × 1 = 2. Long keys score high.",
      cosine:
        "The dot product, divided by the lengths of both. It is the cosine of the angle between them: 1 for the same direction, −1 for the opposite one. Length no longer counts.",
      additive:
        "A network with one hidden layer reads both: $additiveScore$. Here it has two hidden units and fixed weights; in chapter 3 you can change them.",
    },
    stage2: "Stage 2: weights",
    stage2Text: "Softmax of the scores. The weights of the query add up to 1.",
    stage3: "Stage 3: weighted sum",
    stage3Text: "Each value times its weight. Added up, they are the output: one vector, as wide as a value.",
    scoreLabel: "score",
    weightLabel: "weight",
    weightedLabel: "weight × value",
  },
  softTitle: "Soft or hard, by what or by where",
  softText: [
    "**Soft** attention gives everything some weight. **Hard** attention takes one thing and leaves the rest. And either can go by **item**, looking at what is there, or by **location**, looking at where it is. That makes four kinds.",
    "The difference shows in training. If a weight is moved a little, a soft output moves a little too, and that small change tells training which way to go. A hard choice stays the same until it suddenly jumps. There is nothing to follow, so hard attention is trained by trial and reward, or replaced by a soft one.",
  ],
  soft: {
    title: "Four ways to attend",
    takes:
      "It takes one of the three inputs, a digit from 0 to 9 in one of three handwritings, one of the four kinds, and parameters inside the limits of their sliders.",
    source: "Input",
    sources: { signal: "a signal, 24 samples", digit: "a drawn digit, 8 × 8 pixels", written: "a handwritten digit" },
    kind: "Kind of attention",
    kinds: {
      "item-soft": {
        name: "soft, by item",
        text: "Every number is an item, and its own size is its score, times $beta$. Softmax over all of them is the mask. Input times mask is as large as the input.",
      },
      "location-soft": {
        name: "soft, by location",
        text: "The content has no say. A Gaussian hill, as wide as $sigma$, stands where one looks. It enters the core as a bias on the scores; softmax makes it add up to 1. The size stays.",
      },
      "item-hard": {
        name: "hard, by item",
        text: "One item takes all: the best one, or one drawn at random by its weight. What comes out is that item alone.",
      },
      "location-hard": {
        name: "hard, by location",
        text: "A window is cut out, as with scissors. What comes out is smaller than what went in, and the window moves in whole steps.",
      },
    },
    pick: "The item taken",
    picks: { hard: "the best", sample: "drawn by weight" },
    letters: {
      beta: "$beta$",
      column: "col.",
      row: "row",
      sigma: "$sigma$",
      width: "size",
      draw: "seed",
    },
    parameters: {
      beta: "β, how much the content counts",
      column: "col., the column looked at",
      row: "row looked at",
      sigma: "σ, width of the hill",
      width: "size of the window",
      draw: "seed of the draw",
    },
    input: "input",
    mask: "mask",
    output: "output",
    number: "number",
    factor: "factor",
    sample: (index: number) => `sample ${index}`,
    sizeIn: "size of the input",
    sizeOut: "size of the output",
    count: "parameters to train",
    total: "output, added up",
    slopeTitle: "Is there a slope to follow?",
    slopeText:
      "Each parameter is moved on by 1/64, everything is computed again, and the change of the summed output is divided by that 1/64.",
    slopes: "Change of the output per unit of the parameter",
    slopeHow: "Slopes at this point; the longer the bar, the more training is told",
    noSlope: "nothing to follow",
    table: (name: string) => `As a table: ${name}`,
  },
  tries: [
    "Cool the first figure down until one item has everything. Then make a second item as salient as the first. What happens at any temperature?",
    "In the second figure, switch from dot product to cosine. Which key wins now, and why did the long ones lose?",
    "Move the crop over the signal by quarter steps. When does the output change, and what does the slope say just before?",
    "Break it: make every key the same. What is the output then, whatever the query?",
  ],
  questions: {
    even: {
      text: "64 items have the same score. What weight does each get?",
      hint: "The weights add up to 1, and no item is better than another.",
      explanation: (answer: string) => `It is ${answer}, that is $even64$.`,
    },
    two: {
      text: "Two items have the scores 2 and 4, at temperature 1. What weight does the second get?",
      hint: "Only the difference counts: the second is *e*² times as heavy as the first, about 7.39 times.",
      explanation: (answer: string) =>
        `It is ${answer}: 7.39 parts of 8.39. Any two scores that differ by 2 give the same.`,
    },
    cosine: {
      text: "What is the cosine of the query (1, 0, 2) and the key (0, 1, 1)?",
      hint: "The dot product is 2. The lengths are √5 and √2.",
      explanation: (answer: string) => `It is ${answer}: 2 divided by √10.`,
    },
    hard: {
      text: "Three items have the scores 3, 5 and 4, and their values are 3, 5 and 4 as well. What is the output of hard attention?",
      hint: "Hard attention does not mix.",
      explanation: (answer: string) =>
        `It is ${answer}: the value of the best item, and nothing of the others. Soft attention would give something in between.`,
    },
  },
  note: [
    "The notes call hard attention <zh-Hans|强注意力>; the usual term is <zh-Hans|硬注意力>.",
    "They list self-attention as a third kind beside soft and hard. It is a different question: soft or hard is about how weights are dealt out, self-attention is about where queries, keys and values come from. Self-attention is nearly always soft.",
    "They say that attention modules add parameters. Attention itself has none here but the few below the picture; the matrices that make queries, keys and values come in the third chapter.",
  ],
};
