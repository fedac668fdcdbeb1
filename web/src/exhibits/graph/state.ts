// What the reader can set about the graph, and how it is written into the address.
import { BadEntry, type Codec } from "../../lib/codec";
import { number, oneOf, writeNumber } from "../../lib/entries";
import { filled, type Matrix } from "../../lib/matrix";

export const NODES = 6;
/** What is done to pairs without an edge. */
export const WAYS = ["score", "weight", "mask"] as const;
export type Way = (typeof WAYS)[number];

export interface GraphState {
  /** Edges as pairs of nodes, the smaller first: "01" for the first two. */
  readonly edges: readonly string[];
  readonly way: Way;
  /** The node whose input is changed, to see who notices. */
  readonly node: number;
}

const PATH = ["01", "12", "23", "34", "45", "02"];
const initial: GraphState = { edges: PATH, way: "mask", node: 5 };

const LIMITS = { least: 0, most: NODES - 1 };

export function withEdge(edges: readonly string[], a: number, b: number, on: boolean): string[] {
  const edge = `${Math.min(a, b)}${Math.max(a, b)}`;
  const others = edges.filter((other) => other !== edge);
  return on ? [...others, edge].sort() : others;
}

/** 1 where there is an edge, and on the diagonal: every node sees itself. */
export function adjacency(edges: readonly string[]): Matrix {
  const result = filled(NODES, NODES, 0);
  for (let node = 0; node < NODES; node += 1) result.data[node * NODES + node] = 1;
  for (const edge of edges) {
    const [a, b] = [Number(edge[0]), Number(edge[1])];
    result.data[a * NODES + b] = 1;
    result.data[b * NODES + a] = 1;
  }
  return result;
}

const same = (a: readonly string[], b: readonly string[]) =>
  [...a].sort().join() === [...b].sort().join();

function readEdges(text: string): string[] {
  const edges = text === "" ? [] : text.split(",");
  const wrong = edges.some((edge) => !/^[0-5][0-5]$/.test(edge) || edge[0]! >= edge[1]!);
  if (wrong || new Set(edges).size < edges.length) throw new BadEntry();
  return edges;
}

export const codec: Codec<GraphState> = {
  initial,
  write: ({ edges, way, node }) => ({
    edges: same(edges, initial.edges) ? null : edges.join(","),
    way: way === initial.way ? null : way,
    node: writeNumber(node, initial.node),
  }),
  read(entry) {
    const edges = entry("edges");
    return {
      edges: edges === null ? initial.edges : readEdges(edges),
      way: oneOf(entry("way"), WAYS, initial.way),
      node: number(entry("node"), LIMITS, initial.node),
    };
  },
};
