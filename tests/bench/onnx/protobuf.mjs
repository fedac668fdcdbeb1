// Writes protocol buffers: just what an ONNX model needs. A field is [number, value]:
//   a whole number       varint
//   a string, bytes      length-delimited
//   an array of fields   a message inside
const text = new TextEncoder();

export function encode(fields) {
  const parts = [];
  for (const [number, value] of fields) {
    if (typeof value === "number") {
      parts.push(varint(number << 3), varint(value));
    } else {
      const bytes = bytesOf(value);
      parts.push(varint((number << 3) | 2), varint(bytes.length), bytes);
    }
  }
  return concat(parts);
}

function bytesOf(value) {
  if (typeof value === "string") return text.encode(value);
  return Array.isArray(value) ? encode(value) : value;
}

// Seven bits a byte, the lowest first. Negative numbers take ten bytes, as 64 bits.
function varint(value) {
  const bytes = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}

function concat(parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
