// All formulations by name, for attention and for the layer.
import { ATTENTION } from "./attention.mjs";
import { LAYER } from "./layer.mjs";

const namesOf = (table, shape) => Object.keys(table).filter((name) => table[name](shape) !== null);

export const formulationsOf = (shape) =>
  shape.layer ? Object.keys(LAYER) : namesOf(ATTENTION, shape);

export const formulate = (shape, name) => (shape.layer ? LAYER : ATTENTION)[name](shape);
