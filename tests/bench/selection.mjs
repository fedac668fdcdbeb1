// What `--only` means: names of shapes choose shapes, words in names of contenders choose contenders.

export function choose(words, groups, contenders) {
  const names = new Set(groups.flat().map(({ name }) => name));
  const shapes = words.filter((word) => names.has(word));
  const wanted = words.filter((word) => !names.has(word));
  for (const word of wanted) {
    if (!contenders.some(({ name }) => has(name, word))) {
      const known = [...new Set([...names, ...contenders.map(({ name }) => name)])];
      throw new Error(`--only: there is no "${word}"; there are ${known.join(", ")}`);
    }
  }
  return {
    groups: groups
      .map((group) => group.filter(({ name, probe }) => shapes.length === 0 || probe || shapes.includes(name)))
      .filter((group) => group.some(({ probe }) => !probe)),
    chosen: contenders.filter(({ name }) => wanted.length === 0 || wanted.some((word) => has(name, word))),
  };
}

// Whole words, in order.
const has = (name, word) => ` ${name.replaceAll(",", "")} `.includes(` ${word} `);
