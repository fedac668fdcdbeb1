// Attention on a graph, with three things that may be done to pairs without an edge.
import type { Calculator } from "../../lib/calculator";
import type { NamedTensor } from "../../lib/csv";
import { edgesOf } from "../../lib/masks";
import { filled, matrix, rowOf, type Matrix } from "../../lib/matrix";
import { adjacency, NODES, type GraphState, type Way } from "./state";

const FEATURES = 4;
const SEED = 3;
export const LAYERS = 4;

export interface Graph {
  readonly adjacency: Matrix;
  readonly weights: Matrix;
  readonly rowSums: Matrix;
  /** The weight of each row that lies on nodes without an edge. */
  readonly strangers: Matrix;
  /** How far each node's output moves when the chosen node's input is changed, layer by layer. */
  readonly moved: Matrix;
}

/** Entries where the two nodes are, or are not, joined; 0 elsewhere. */
function kept(m: Matrix, edges: Matrix, joined: 0 | 1): Matrix {
  const data = m.data.map((value, i) => (edges.data[i] === joined ? value : 0));
  return { ...m, data };
}

function softmax(calculator: Calculator, scores: Matrix): Matrix {
  // Queries and keys of one feature that is 0 leave the bias as the only score.
  const nothing = { data: new Float32Array(scores.rows), shape: [scores.rows, 1] };
  const bias = { data: scores.data, shape: [scores.rows, scores.columns] };
  const { weights } = calculator.use((core) =>
    core.attention(nothing, nothing, nothing, { bias, returns: { weights: true } }),
  );
  return matrix(scores.rows, scores.columns, weights.data);
}

function weightsOf(calculator: Calculator, x: Matrix, joined: Matrix, way: Way): Matrix {
  const plain = calculator.attention(x, x, x, true);
  if (way === "score") return softmax(calculator, kept(plain.scores, joined, 1));
  if (way === "weight") return kept(plain.weights, joined, 1);
  const nodes = { data: x.data, shape: [x.rows, x.columns] };
  const { weights } = calculator.use((core) =>
    core.attention(nodes, nodes, nodes, { mask: edgesOf(joined), returns: { weights: true } }),
  );
  return matrix(NODES, NODES, weights.data);
}

export function compute(calculator: Calculator, { edges, way, node }: GraphState): Graph {
  const joined = adjacency(edges);
  const x = calculator.normal(NODES, FEATURES, SEED);
  const weights = weightsOf(calculator, x, joined, way);
  const changed: Matrix = { ...x, data: x.data.slice() };
  changed.data[node * FEATURES] = 3;
  const moved = filled(LAYERS, NODES, 0);
  let [one, other] = [x, changed];
  for (let layer = 0; layer < LAYERS; layer += 1) {
    one = calculator.product(weightsOf(calculator, one, joined, way), one);
    other = calculator.product(weightsOf(calculator, other, joined, way), other);
    const gap = calculator.difference(other, one);
    for (let i = 0; i < NODES; i += 1) {
      moved.data[layer * NODES + i] = Math.max(...rowOf(gap, i).map(Math.abs));
    }
  }
  return {
    adjacency: joined,
    weights,
    rowSums: calculator.rowSums(weights),
    strangers: calculator.rowSums(kept(weights, joined, 0)),
    moved,
  };
}

export function tensors(graph: Graph): NamedTensor[] {
  return Object.entries(graph).map(([name, { rows, columns, data }]: [string, Matrix]) => ({
    name,
    shape: [rows, columns],
    data,
  }));
}
