// Of the chapters whose sentences are loaded with them.
export const titles = {
  attention: {
    title: "What attention is",
    summary: "Much is seen, little is looked at",
  },
  sets: {
    title: "Sets of vectors in, labels out",
    summary: "What attention is given, and what is asked of it",
  },
  matrices: {
    title: "All at once",
    summary: "Every query in three matrix products",
  },
  heads: {
    title: "Many heads",
    summary: "Several kinds of looking, side by side",
  },
  bill: {
    title: "The n squared bill",
    summary: "What long sequences cost, and when it matters",
  },
  neighbours: {
    title: "Neighbours",
    summary: "Pictures, sound and graphs, and the layers attention stands beside",
  },
  masks: {
    title: "Masks from knowledge",
    summary: "Leaving out the pairs that we know to matter little",
  },
  content: {
    title: "Masks from the data",
    summary: "Letting the queries and keys say which pairs matter",
  },
  fewerKeys: {
    title: "Fewer keys",
    summary: "Low rank, and a few keys that stand for all",
  },
  reorder: {
    title: "Another order",
    summary: "The same product, multiplied from the other side",
  },
  without: {
    title: "Without q·k",
    summary: "Weights without queries, and mixing without attention",
  },
  arena: {
    title: "The arena",
    summary: "The whole family: published scores, and your own machine",
  },
  position: {
    title: "Position",
    summary: "How order gets into a set of vectors",
  },
  speed: {
    title: "Speed",
    summary: "How fast the core is, beside others, and on your machine",
  },
};
