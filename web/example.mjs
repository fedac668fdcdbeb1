// The worked example of the notes, computed by the core, for the terminal.

const X = [
  [1, 0, 1, 0],
  [0, 2, 0, 2],
  [1, 1, 1, 1],
];
// The weights, one row per feature of the key, query or value: x times the transpose.
const KEY = [
  [0, 1, 0, 1],
  [0, 1, 1, 1],
  [1, 0, 0, 0],
];
const QUERY = [
  [1, 1, 0, 0],
  [0, 0, 0, 1],
  [1, 0, 1, 1],
];
const VALUE = [
  [0, 0, 1, 1],
  [2, 3, 0, 1],
  [0, 0, 3, 0],
];

const line = (numbers) => `  ${numbers.map((number) => number.toFixed(6)).join(" ")}`;

// `load` is the package's. The text of the example, without a line break at the end.
export async function workedExample(load) {
  const { attention, backend, linear, version } = await load();
  const [query, key, value] = [QUERY, KEY, VALUE].map((weight) => linear(X, weight));
  const { output } = attention(query, key, value, { score: "dot" });
  return [
    `qkv ${version} (${backend.variant}): attention on the three inputs of the notes`,
    ...output.toArray().map(line),
  ].join("\n");
}
