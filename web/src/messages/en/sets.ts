import { titles } from "./titles";

export const sets = {
  ...titles.sets,
  intro: [
    "Many networks take a fixed number of inputs: one picture of 28 × 28 points, one table row of twelve columns. A sentence is not like that. It has as many words as its writer liked, and so has a sound as many moments and a network of friends as many people.",
    "What they have in common: each is a **set of vectors**. There are $n$ of them, and $n$ differs from case to case; each vector has the same number of features. That is what attention takes.",
  ],
  takesWords: (most: number) => `It takes a sentence of 1 to ${most} words.`,
  doors: {
    title: "Three doors into the same room",
    takes:
      "It takes text, sound or a graph: a sentence of 1 to 16 words, 100 to 2000 milliseconds, or 2 to 24 nodes.",
    choose: "What comes in",
    names: { text: "text", sound: "sound", graph: "a graph" },
    texts: {
      text: "Each word becomes a row. No model has been trained here, so a word’s vector is drawn at random; but it is the word’s own, and the same wherever the word stands.",
      sound:
        "Sound is cut into frames of 25 milliseconds, a new one every 10. Each frame becomes a row that says how much of it lies in each of eight bands of pitch. This one is a tone that rises.",
      graph:
        "Each node becomes a row. Here the nodes form a ring, and each is described by the average of its own numbers and those of its two neighbours.",
    },
    sentence: "Sentence",
    sliders: {
      milliseconds: { label: "ms", name: "ms, length of the sound in milliseconds" },
      nodes: { label: "$n$", name: "n, number of nodes" },
    },
    vectors: "vectors",
    features: "features of each",
    shape: "shape",
    map: (rows: number, columns: number) => `The ${rows} vectors with ${columns} features each`,
    table: "The vectors as a table",
    word: (number: number, word: string) => `word ${number}, ${word}`,
    frame: (number: number) => `frame ${number}`,
    node: (number: number) => `node ${number}`,
  },
  shapesTitle: "As many out as in, or one, or some",
  shapesText: [
    "What is wanted differs too. A part of speech for each word, or an interest for each person: $n$ in, $n$ out. One mood for the sentence, one speaker for the sound: $n$ in, one out. A translation, or the text of a recording: $n$ in, and $m$ out, where the model itself decides how long $m$ is.",
    "Attention does all three, because it gives one output for each *query*. What counts is who asks.",
  ],
  shapes: {
    title: "Who asks decides how much comes out",
    takes: "It takes one of the three shapes, and n and m from 1 to 8.",
    choose: "Shape",
    names: {
      each: {
        name: "n to n",
        text: "Every vector asks, and gets one answer: self-attention. Five in, five out.",
      },
      one: {
        name: "n to 1",
        text: "A single query asks them all. In a model it is a trained vector; this one is drawn at random. The output is one vector, however many came in: attention as pooling.",
      },
      many: {
        name: "n to m",
        text: "$m$ queries from elsewhere ask, for example from the half of a sentence that is already translated: cross-attention. A model that writes goes on until it writes a sign for the end; here you set $m$.",
      },
    },
    n: "n, vectors in",
    m: "m, queries",
    in: "in",
    weights: "weights",
    out: "out",
    queries: "Q, the queries",
    inputs: "X, the vectors that came in",
    weightsTitle: "A, the weights",
    outputs: "O, what comes out",
  },
  sameTitle: "I saw a saw",
  sameText: [
    "In *I saw a saw* the second word is a verb and the fourth a noun. A network that reads one word at a time, with a fixed vector for each word, cannot know: it is given the same numbers twice and must give the same answer twice.",
    "A window helps: give the network the neighbours as well. But a window has a fixed size, and what decides may lie outside. Attention reads the whole sentence. Still, it is not enough by itself: equal queries over the same keys get equal weights. It takes the position as well, and then the two words part.",
  ],
  same: {
    title: "The same word twice",
    takes: "It takes a sentence of 1 to 16 words, one of two kinds of vectors, and a window from 0 to 3.",
    window: "window, neighbours on each side",
    windowShort: "window",
    map: "The words’ vectors, one row each",
    distances: "Squared distance",
    ways: {
      word: "the word’s vector alone",
      window: "with its neighbours",
      attention: "self-attention, no position",
      position: "the two positions’ vectors",
      both: "self-attention, with position",
    },
    reach: (window: number) => `${window} on each side`,
    identical: "identical",
    compared: (word: string, first: number, second: number) =>
      `Compared: “${word}” as word ${first} and as word ${second}.`,
    how: "How far apart the two are; 0 means that no network behind it can tell them apart",
    nothingTwice: "No word stands twice in this sentence. Write one in which a word does.",
    table: "The vectors as a table",
  },
  reachTitle: "Layer upon layer",
  reachText: [
    "If each token sees only its neighbours, can anything far away ever matter? Yes, with more layers. In the first layer a token hears from two steps away. In the second it hears from those who have heard. With a window of 2 on each side, four layers reach 4 × 2 = 8 steps.",
    "That is no formula to be believed: change one token, run everything again, and look which outputs are no longer the same, down to the last bit.",
  ],
  reach: {
    title: "How far a change travels",
    takes: "It takes a window from 0 to 8 on each side, 1 to 8 layers, and a token from 1 to 24.",
    sliders: {
      radius: { label: "window", name: "window, tokens seen on each side" },
      layers: { label: "layers", name: "layers, one upon the other" },
      token: { label: "token", name: "token that is changed" },
    },
    count: (tokens: number) => `of ${tokens} outputs changed`,
    touched: "changed",
    map: (layers: number) =>
      `Which tokens are changed, in the input and after each of ${layers} layers`,
    input: "input",
    layer: (layer: number) => `layer ${layer}`,
    token: (token: number) => `token ${token}`,
    table: "How large the change is, squared",
  },
  tries: [
    "Write your own sentence behind the first door, once with a word repeated. Which rows are the same?",
    "Set n to 1 and look at the weights. Why can they not be anything else?",
    "Widen the window in *I saw a saw* step by step. At which width does the network see the whole sentence?",
    "Break it: set the window of the last figure to 0. How many layers are needed now to reach a neighbour?",
  ],
  questions: {
    frames: {
      text: "A sound lasts exactly one second. Its frames are 25 milliseconds long, and one begins every 10 milliseconds. How many whole frames does it have?",
      hint: "The last frame must end within the second, so it begins at 975 milliseconds or earlier.",
      explanation: (answer: string) =>
        `It has ${answer}: one at 0, one at 10, and so on up to 970. That is nearly, but not quite, a hundred.`,
    },
    weights: {
      text: "Four queries ask nine vectors. How many weights are there?",
      hint: "Each query gives a weight to each vector.",
      explanation: (answer: string) =>
        `There are ${answer}, four rows of nine. Only four vectors come out.`,
    },
    saw: {
      text: "In *I saw a saw*, self-attention without positions: what is the squared distance of the outputs of the two *saw*?",
      hint: "Compare the two queries, then the keys and values they look at.",
      explanation: (answer: string) =>
        `It is ${answer}. Both ask the same question and see the same keys and values, so they get the same answer.`,
    },
    layers: {
      text: "24 tokens, a window of 2 on each side, four layers. Token 12 is changed. How many outputs change, its own included?",
      hint: "Each layer carries the change two steps further, to the left and to the right.",
      explanation: (answer: string) => `There are ${answer}: eight on either side, and token 12 itself.`,
    },
  },
  note: [
    "The notes say that self-attention tells the two *saw* apart, where a fully connected layer cannot. By itself it does not: the figure shows a distance of exactly 0. It does with positions added, which the notes bring in later.",
    "They say that a fully connected layer takes inputs of a fixed length. So it does; a window has the same limit, only on a smaller scale.",
  ],
};
