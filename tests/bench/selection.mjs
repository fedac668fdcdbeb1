// What `--only` means: names of shapes and figures choose those, words in names of contenders
// choose contenders.

export class UsageError extends Error {}

export function choose(words, groups, figures, contenders) {
  const shapeNames = groups.flat().map(({ name }) => name);
  const figureNames = figures.flatMap(({ names }) => names);
  const whatNames = [...shapeNames, ...figureNames];
  const what = words.filter((word) => whatNames.includes(word));
  const who = words.filter((word) => !whatNames.includes(word));
  for (const word of who) {
    if (!contenders.some(({ name }) => has(name, word))) {
      const known = new Set([...whatNames, ...contenders.map(({ name }) => name)]);
      throw new UsageError(`--only: there is no "${word}"; there are ${[...known].join(", ")}`);
    }
  }
  const isWanted = (name) => what.length === 0 || what.includes(name);
  return {
    // A probe comes along with a shape of its group.
    groups: groups
      .map((group) => group.filter(({ name, probe }) => probe || isWanted(name)))
      .filter((group) => group.some(({ name, probe }) => !probe || what.includes(name))),
    figures: figures.filter(({ names }) => names.some(isWanted)),
    chosen: contenders.filter(
      ({ name }) => who.length === 0 || who.some((word) => has(name, word)),
    ),
  };
}

// Whole words, in order.
const plain = (text) => ` ${text.replaceAll(",", "").toLowerCase()} `;
const has = (name, word) => plain(name).includes(plain(word));
