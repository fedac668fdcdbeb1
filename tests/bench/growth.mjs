// What the times of the mechanisms say of their growth, and what is to be reached.

// How the time of a mechanism may grow: linear ones, those of n log n or n^1.5, and the squares.
const LINEAR = 1.15;
const ALMOST_LINEAR = 1.3;
const EXPONENTS = {
  local: LINEAR,
  global: LINEAR,
  longformer: LINEAR,
  bigbird: LINEAR,
  graph: LINEAR,
  reformer: ALMOST_LINEAR,
  routing: ALMOST_LINEAR,
  sinkhorn: LINEAR,
  linformer: LINEAR,
  linear: LINEAR,
  efficient: LINEAR,
  performer: LINEAR,
  rfa: LINEAR,
  fnet: ALMOST_LINEAR,
  conv1d: LINEAR,
  rnn: LINEAR,
};
// Families that promise no speed beside exact attention.
const NO_PROMISE = ["query-free", "picking", "baseline"];
// How much of the speed that fewer pairs or sums promise must be there.
const KEPT = 0.5;
const AT = 8192;
// By short calls the fixed part of a call would be fitted.
const FIT_FROM = 1024;

export function growth(results) {
  const names = [...new Set(results.map(({ name }) => name))];
  const ratios = [];
  for (const name of names) {
    const lines = results.filter((line) => line.name === name);
    const fitted = lines.filter(({ n }) => n >= FIT_FROM);
    if (fitted.length < 3) continue;
    ratios.push({
      name: `exponent of time: ${name}`,
      value: slope(fitted.map(({ n, ms }) => [Math.log(n), Math.log(ms)])),
      reach: EXPONENTS[name] ?? null,
      dream: null,
      higherIsBetter: false,
    });
  }
  const exact = results.find(({ name, n }) => name === "attention" && n === AT);
  const efficient = ({ name, family, n }) =>
    n === AT && name !== "attention" && !NO_PROMISE.includes(family);
  for (const line of results.filter(efficient)) {
    const promised = exact.multiplyAdds / line.multiplyAdds;
    if (promised < 1.5) continue;
    const faster = exact.ms / line.ms;
    ratios.push(
      ratio(`faster than exact attention at ${AT}: ${line.name}`, faster, targetOf(line.name)),
      ratio(`part of the promised factor at ${AT}: ${line.name}`, faster / promised, KEPT),
    );
  }
  return ratios;
}

const targetOf = (name) => (name === "linear" ? 40 : null);
const ratio = (name, value, reach) => ({ name, value, reach, dream: null, higherIsBetter: true });

// Of the line with the least squares.
export function slope(points) {
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const x = mean(points.map(([at]) => at));
  const y = mean(points.map(([, value]) => value));
  const over = points.reduce((sum, [at, value]) => sum + (at - x) * (value - y), 0);
  return over / points.reduce((sum, [at]) => sum + (at - x) ** 2, 0);
}
