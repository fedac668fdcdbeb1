// Reads the constant tensors of an ONNX model: the few fields of the format that hold them, and
// nothing else of it. The numbers are those of onnx.proto; the encoding is that of Protocol Buffers.

const VARINT = 0;
const EIGHT_BYTES = 1;
const BYTES = 2;
const FOUR_BYTES = 5;

interface Field {
  readonly number: number;
  readonly integer: number;
  readonly bytes: Uint8Array;
}

const NOTHING = new Uint8Array();

function* fields(message: Uint8Array): Generator<Field> {
  let place = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = message[place];
      if (byte === undefined) throw new Error("The ONNX file ends too early.");
      place += 1;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  while (place < message.length) {
    const key = varint();
    const [number, kind] = [Math.floor(key / 8), key % 8];
    if (kind === VARINT) {
      yield { number, integer: varint(), bytes: NOTHING };
      continue;
    }
    if (kind !== BYTES && kind !== EIGHT_BYTES && kind !== FOUR_BYTES) {
      throw new Error(`The ONNX file has a field of the unknown kind ${kind}.`);
    }
    const length = kind === BYTES ? varint() : kind === EIGHT_BYTES ? 8 : 4;
    yield { number, integer: 0, bytes: message.subarray(place, place + length) };
    place += length;
  }
}

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const all = (message: Uint8Array, number: number) =>
  [...fields(message)].filter((field) => field.number === number);

export interface Constant {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

const FLOAT = 1;

function constantOf(tensor: Uint8Array): Constant | null {
  const list = [...fields(tensor)];
  const kind = list.find(({ number }) => number === 2)?.integer;
  const raw = list.find(({ number }) => number === 9)?.bytes;
  if (kind !== FLOAT || !raw) return null;
  const shape = list.filter(({ number }) => number === 1).map(({ integer }) => integer);
  // A copy begins where 32-bit floats may begin.
  return { shape, data: new Float32Array(Uint8Array.from(raw).buffer) };
}

/** The tensors of float32 that `Constant` nodes of the model's graph hold, by the nodes' outputs. */
export function constantsOf(model: Uint8Array): Map<string, Constant> {
  const constants = new Map<string, Constant>();
  for (const graph of all(model, 7)) {
    for (const { bytes: node } of all(graph.bytes, 1)) {
      if (!all(node, 4).some(({ bytes }) => text(bytes) === "Constant")) continue;
      const [output] = all(node, 2);
      const tensor = all(node, 5).flatMap(({ bytes }) => all(bytes, 5))[0];
      const constant = tensor && constantOf(tensor.bytes);
      if (output && constant) constants.set(text(output.bytes), constant);
    }
  }
  return constants;
}
