// Four ways to find the pairs worth computing, each beside exact attention. Groups, weights and
// outputs are the core's; what is counted here are pairs.
import { mask } from "qkv";
import type { Calculator } from "../../lib/calculator";
import type { NamedTensor } from "../../lib/csv";
import {
  at,
  filled,
  fromRows,
  keptWhere,
  largest,
  matrix,
  selectRows,
  stacked,
  transposed,
  type Matrix,
} from "../../lib/matrix";
import { like, seen, type Seen } from "../../lib/weights-seen";
import { GROUPS, NO_GROUP } from "../../figures/marks";
import type { ClusterState, Way } from "./state";

const WIDTH = 2;
export const TOP = 3;

/** In the Routing Transformer and the Reformer the queries are their own keys. */
export const isShared = (way: Way): boolean => way === "reformer" || way === "routing";

interface Points {
  readonly query: Matrix;
  readonly key: Matrix;
  readonly value: Matrix;
}

interface Grouped {
  /** The group of each query and key; NO_GROUP where there is none. */
  readonly queryGroups: readonly number[];
  readonly keyGroups: readonly number[];
  /** Directions of the groups. */
  readonly directions: Matrix;
  readonly exact: Seen;
  readonly found: Seen;
  /** The group that both tokens of a pair are in, or NO_GROUP. */
  readonly common: (query: number, key: number) => number;
}

export interface Clusters extends Points, Omit<Grouped, "exact" | "found"> {
  readonly exact: Matrix;
  readonly exactOutput: Matrix;
  readonly weights: Matrix;
  readonly output: Matrix;
  readonly pairs: number;
  /** Mean of the exact weight of a query that its kept keys have. */
  readonly mass: number;
  /** Of the TOP largest exact weights of each query, the share that is kept. */
  readonly recall: number;
  readonly error: number;
  /** Queries that see no key. */
  readonly alone: number;
}

function points(calculator: Calculator, { way, tokens, strong, points }: ClusterState): Points {
  // Three streams of random numbers for each seed.
  const random = (stream: number) => calculator.normal(tokens, WIDTH, 3 * points + stream);
  const plain = random(0);
  const query = calculator.product(
    plain,
    fromRows([
      [strong, 0],
      [0, strong],
    ]),
  );
  return { query, key: isShared(way) ? query : random(1), value: random(2) };
}

const whole = (data: Float32Array): number[] => Array.from(data, Number);

/** The rotations of the hash: as many directions as half the groups. */
const rotations = (calculator: Calculator, rounds: number, draw: number): Matrix =>
  // No seed of the points is as large.
  calculator.normal(WIDTH, (rounds * GROUPS) / 2, 100_000 + draw);

/** The directions of the first round's groups: those of the rotation, and their opposites. */
function directionsOf(calculator: Calculator, rotation: Matrix): Matrix {
  const first = selectRows(transposed(rotation), [0, 1]);
  const signs = fromRows([
    [1, 0],
    [0, 1],
    [-1, 0],
    [0, -1],
  ]);
  return calculator.product(signs, first);
}

/** Queries and keys are put into groups together; a query then sees the keys of its group. */
function together(calculator: Calculator, given: Points, { way, draw }: ClusterState): Grouped {
  const { query, key, value } = given;
  const all = stacked(query, key);
  let groups: number[];
  let directions: Matrix;
  if (way === "kMeans") {
    const { centroids, clusters } = calculator.use((core) =>
      core.kMeans(like(all), { clusters: GROUPS, seed: draw }),
    );
    groups = whole(clusters.data);
    directions = matrix(GROUPS, WIDTH, centroids.data);
  } else {
    const rotation = rotations(calculator, 1, draw);
    const { buckets } = calculator.use((core) =>
      core.lshAttention(like(all), like(filled(all.rows, 1, 0)), {
        buckets: GROUPS,
        chunkSize: all.rows,
        rotations: { data: rotation.data, shape: [WIDTH, 1, GROUPS / 2] },
      }),
    );
    groups = whole(buckets.data);
    directions = directionsOf(calculator, rotation);
  }
  const queryGroups = groups.slice(0, query.rows);
  const keyGroups = groups.slice(query.rows);
  return {
    queryGroups,
    keyGroups,
    directions,
    exact: calculator.attention(query, key, value, true),
    found: seen(value, (values) =>
      calculator.use(
        (core) =>
          core.clusteredAttention(like(query), like(key), values, {
            queryClusters: queryGroups,
            keyClusters: keyGroups,
          }).output,
      ),
    ),
    common: (i, j) => (queryGroups[i] === keyGroups[j] ? queryGroups[i]! : NO_GROUP),
  };
}

/** Sorted by group and cut into chunks; a chunk sees itself and the one before it. */
function reformer(calculator: Calculator, given: Points, state: ClusterState): Grouped {
  const { query, value } = given;
  const { rounds, draw, tokens } = state;
  const rotation = rotations(calculator, rounds, draw);
  let groups: number[] = [];
  const run = (chunkSize: number) =>
    seen(value, (values) =>
      calculator.use((core) => {
        const { output, buckets } = core.lshAttention(like(query), values, {
          buckets: GROUPS,
          chunkSize,
          rounds,
          rotations: { data: rotation.data, shape: [WIDTH, rounds, GROUPS / 2] },
        });
        groups = whole(buckets.data.subarray(0, tokens));
        return output;
      }),
    );
  // One chunk for all is exact.
  const exact = run(tokens);
  const found = run(tokens / 8);
  return {
    queryGroups: groups,
    keyGroups: groups,
    directions: directionsOf(calculator, rotation),
    exact,
    found,
    common: (i, j) => (groups[i] === groups[j] ? groups[i]! : NO_GROUP),
  };
}

/** Each centroid takes the tokens most like it. */
function routing(calculator: Calculator, given: Points, { draw, tokens }: ClusterState): Grouped {
  const { query, value } = given;
  const { centroids } = calculator.use((core) =>
    core.kMeans(like(query), { clusters: GROUPS, seed: draw }),
  );
  let taken = filled(GROUPS, tokens, 0);
  const run = (windowSize: number, rows: number) =>
    seen(value, (values) =>
      calculator.use((core) => {
        const { output, clusters } = core.routingAttention(like(query), values, {
          centroids: { data: centroids.data.subarray(0, rows * WIDTH), shape: [rows, WIDTH] },
          windowSize,
        });
        taken = matrix(rows, tokens, clusters.data);
        return output;
      }),
    );
  // One centroid that takes every token is exact.
  const exact = run(tokens, 1);
  const found = run(tokens / GROUPS, GROUPS);
  const common = (i: number, j: number) => {
    for (let group = 0; group < GROUPS; group += 1) {
      if (at(taken, group, i) === 1 && at(taken, group, j) === 1) return group;
    }
    return NO_GROUP;
  };
  const groups = Array.from({ length: tokens }, (_, token) => common(token, token));
  return {
    queryGroups: groups,
    keyGroups: groups,
    directions: matrix(GROUPS, WIDTH, centroids.data),
    exact,
    found,
    common,
  };
}

function group(calculator: Calculator, given: Points, state: ClusterState): Grouped {
  if (state.way === "reformer") return reformer(calculator, given, state);
  if (state.way === "routing") return routing(calculator, given, state);
  return together(calculator, given, state);
}

/** How many pairs two lists of groups leave, by the core. */
export const pairsOfGroups = (
  calculator: Calculator,
  query: readonly number[],
  key: readonly number[],
): number =>
  calculator.use(
    (core) =>
      core.maskStats(
        mask.segments({ query: Float32Array.from(query), key: Float32Array.from(key) }),
        { queryLength: query.length, keyLength: key.length },
      ).pairs,
  );

const positive = (m: Matrix) => m.data.reduce((count, value) => count + (value > 0 ? 1 : 0), 0);

export function compute(calculator: Calculator, state: ClusterState): Clusters {
  const given = points(calculator, state);
  const { exact, found, ...grouped } = group(calculator, given, state);
  const n = state.tokens;
  const kept = keptWhere(exact.weights, found.weights);
  const sums = calculator.rowSums(kept);
  const mass = calculator.dots(matrix(1, n, sums.data), filled(1, n, 1), 1 / n).data[0]!;
  return {
    ...given,
    ...grouped,
    exact: exact.weights,
    exactOutput: exact.output,
    weights: found.weights,
    output: found.output,
    pairs: isShared(state.way)
      ? positive(found.weights)
      : pairsOfGroups(calculator, grouped.queryGroups, grouped.keyGroups),
    mass,
    recall: recallOf(exact.weights, found.weights),
    error: largest(calculator.difference(found.output, exact.output)),
    alone: Array.from(sums.data).filter((sum) => sum === 0).length,
  };
}

/** Counting: of the TOP largest weights of each row of `exact`, those above 0 in `found`. */
function recallOf(exact: Matrix, found: Matrix): number {
  let kept = 0;
  for (let row = 0; row < exact.rows; row += 1) {
    const order = Array.from({ length: exact.columns }, (_, column) => column)
      .sort((a, b) => at(exact, row, b) - at(exact, row, a))
      .slice(0, TOP);
    kept += order.filter((column) => at(found, row, column) > 0).length;
  }
  return kept / (TOP * exact.rows);
}

/** Tokens of one group side by side, in the order of the text within a group. */
export const sortedBy = (groups: readonly number[]): number[] =>
  groups.map((_, index) => index).sort((a, b) => groups[a]! - groups[b]! || a - b);

export function tensors(clusters: Clusters): NamedTensor[] {
  const named = (name: string, { rows, columns, data }: Matrix): NamedTensor => ({
    name,
    shape: [rows, columns],
    data,
  });
  const list = (name: string, groups: readonly number[]): NamedTensor => ({
    name,
    shape: [groups.length],
    data: Float32Array.from(groups),
  });
  return [
    named("Q", clusters.query),
    named("K", clusters.key),
    named("V", clusters.value),
    list("query_groups", clusters.queryGroups),
    list("key_groups", clusters.keyGroups),
    named("directions", clusters.directions),
    named("A_exact", clusters.exact),
    named("A", clusters.weights),
    named("O_exact", clusters.exactOutput),
    named("O", clusters.output),
  ];
}
