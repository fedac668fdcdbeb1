// Writes ONNX models. The numbers of the fields are those of onnx.proto3.
import { encode } from "./protobuf.mjs";

const TYPES = { float32: 1, int32: 6, int64: 7, bool: 9 };
const INT = 2;
const INTS = 7;

// A whole number is an INT, [numbers] are INTS.
function attribute(name, value) {
  if (Array.isArray(value)) return [[1, name], ...value.map((item) => [8, item]), [20, INTS]];
  return [
    [1, name],
    [3, value],
    [20, INT],
  ];
}

// Without a shape onnxruntime infers it.
function valueInfo({ name, type = "float32", shape }) {
  const sizes = shape && [[2, shape.map((size) => [1, [[1, size]]])]];
  return [
    [1, name],
    [2, [[1, [[1, TYPES[type]], ...(sizes ?? [])]]]],
  ];
}

// A constant: a tensor with its numbers.
function tensor({ name, type = "float32", shape, data }) {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return [...shape.map((size) => [1, size]), [2, TYPES[type]], [8, name], [9, bytes]];
}

export class Graph {
  #nodes = [];
  #constants = [];
  #inputs = [];
  #outputs = [];
  #names = 0;

  input(name, shape, type) {
    this.#inputs.push({ name, shape, type });
    return name;
  }

  output(name, shape, type) {
    this.#outputs.push({ name, shape, type });
    return name;
  }

  constant(data, shape) {
    const type = data instanceof BigInt64Array ? "int64" : "float32";
    const name = `constant${++this.#names}`;
    this.#constants.push({ name, type, shape, data });
    return name;
  }

  // Adds an operation and gives the name of its first result. "com.microsoft.X" is an operation of
  // onnxruntime's own. An input of null is left out.
  add(operation, inputs, attributes = {}, outputs = [`value${++this.#names}`]) {
    const dot = operation.lastIndexOf(".");
    this.#nodes.push([
      ...inputs.map((input) => [1, input ?? ""]),
      ...outputs.map((output) => [2, output]),
      [4, operation.slice(dot + 1)],
      ...Object.entries(attributes).map(([name, value]) => [5, attribute(name, value)]),
      ...(dot < 0 ? [] : [[7, operation.slice(0, dot)]]),
    ]);
    return outputs[0];
  }

  // The model in ONNX's file format. `version` is that of the standard operations.
  encode(version) {
    const graph = [
      ...this.#nodes.map((node) => [1, node]),
      [2, "attention"],
      ...this.#constants.map((constant) => [5, tensor(constant)]),
      ...this.#inputs.map((input) => [11, valueInfo(input)]),
      ...this.#outputs.map((output) => [12, valueInfo(output)]),
    ];
    return encode([
      [1, 10], // the version of the format
      [7, graph],
      [
        8,
        [
          [1, ""],
          [2, version],
        ],
      ],
      [
        8,
        [
          [1, "com.microsoft"],
          [2, 1],
        ],
      ],
    ]);
  }
}
