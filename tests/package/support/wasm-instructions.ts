// Walks the instructions of a WebAssembly binary, one by one: a byte that looks like a prefix may as
// well be part of a constant. Knows what the core's compilers emit (the first version, bulk memory,
// sign extension, SIMD, relaxed SIMD, threads) and stops at anything else.

const CODE_SECTION = 10;
const END = 0x0b;
const SIMD_PREFIX = 0xfd;
const FIRST_RELAXED = 0x100;
const ATOMIC_PREFIX = 0xfe;
const ATOMIC_FENCE = 0x03;

/** How often each SIMD instruction occurs, by the number that follows its prefix. */
export function countSimd(binary: Uint8Array): Map<number, number> {
  return count(binary).simd;
}

/** How many relaxed SIMD instructions a binary holds. */
export function countRelaxed(binary: Uint8Array): number {
  let sum = 0;
  for (const [number, count] of countSimd(binary)) if (number >= FIRST_RELAXED) sum += count;
  return sum;
}

/** How many atomic instructions a binary holds. */
export function countAtomic(binary: Uint8Array): number {
  return count(binary).atomic;
}

interface Counts {
  readonly simd: Map<number, number>;
  atomic: number;
}

function count(binary: Uint8Array): Counts {
  const counts: Counts = { simd: new Map(), atomic: 0 };
  const reader = new Reader(binary);
  reader.skip(8); // magic and version
  while (!reader.done) {
    const section = reader.byte();
    const size = reader.unsigned();
    if (section !== CODE_SECTION) {
      reader.skip(size);
      continue;
    }
    for (let functions = reader.unsigned(); functions > 0; --functions) {
      const end = reader.unsigned() + reader.position;
      for (let groups = reader.unsigned(); groups > 0; --groups) {
        reader.unsigned();
        reader.byte(); // of that many locals, the type
      }
      let last = -1;
      while (reader.position < end) last = instruction(reader, counts);
      if (reader.position !== end || last !== END) throw new Error(`lost the way before ${end}`);
    }
  }
  return counts;
}

function instruction(reader: Reader, counts: Counts): number {
  const code = reader.byte();
  if (code === SIMD_PREFIX) {
    const number = reader.unsigned();
    counts.simd.set(number, (counts.simd.get(number) ?? 0) + 1);
    simdOperands(number, reader);
  } else if (code === ATOMIC_PREFIX) {
    counts.atomic += 1;
    atomicOperands(reader.unsigned(), reader);
  } else if (code === 0xfc) {
    bulkOperands(reader.unsigned(), reader);
  } else {
    operands(code, reader);
  }
  return code;
}

function operands(code: number, reader: Reader): void {
  if (code >= 0x02 && code <= 0x04) reader.unsigned(); // block, loop, if: a type
  else if (code === 0x0c || code === 0x0d) reader.unsigned(); // br, br_if
  else if (code === 0x0e) {
    for (let targets = reader.unsigned(); targets >= 0; --targets) reader.unsigned(); // br_table
  } else if (code === 0x10 || code === 0x12) reader.unsigned(); // call, return_call
  else if (code === 0x11 || code === 0x13) reader.unsigned(2); // the same by a table
  else if (code === 0x1c) reader.skip(reader.unsigned()); // select with types
  else if (code >= 0x20 && code <= 0x26) reader.unsigned(); // locals, globals, tables
  else if (code >= 0x28 && code <= 0x3e) reader.unsigned(2); // loads, stores: alignment, offset
  else if (code === 0x3f || code === 0x40) reader.unsigned(); // memory.size, memory.grow
  else if (code === 0x41 || code === 0x42) reader.unsigned(); // i32.const, i64.const
  else if (code === 0x43) reader.skip(4); // f32.const
  else if (code === 0x44) reader.skip(8); // f64.const
  else if (!hasNoOperands(code)) throw new Error(`unknown instruction 0x${code.toString(16)}`);
}

function hasNoOperands(code: number): boolean {
  const control = [0x00, 0x01, 0x05, END, 0x0f, 0x1a, 0x1b];
  return control.includes(code) || (code >= 0x45 && code <= 0xc4);
}

function bulkOperands(number: number, reader: Reader): void {
  if (number <= 7) return; // conversions
  if (number > 17) throw new Error(`unknown instruction 0xfc ${number}`);
  // init and copy name two things, the others one.
  reader.unsigned([8, 10, 12, 14].includes(number) ? 2 : 1);
}

function atomicOperands(number: number, reader: Reader): void {
  if (number > 0x4e) throw new Error(`unknown instruction 0xfe ${number}`);
  if (number === ATOMIC_FENCE) reader.byte();
  else reader.unsigned(2); // alignment, offset
}

function simdOperands(number: number, reader: Reader): void {
  if (number <= 11 || number === 92 || number === 93) reader.unsigned(2); // loads, stores
  else if (number === 12 || number === 13) reader.skip(16); // v128.const, i8x16.shuffle
  else if (number >= 21 && number <= 34) reader.byte(); // lanes
  else if (number >= 84 && number <= 91) {
    reader.unsigned(2); // loads and stores of a lane
    reader.byte();
  } else if (number > 0x113) throw new Error(`unknown instruction 0xfd ${number}`);
}

class Reader {
  position = 0;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.position >= this.#bytes.length;
  }

  byte(): number {
    const byte = this.#bytes[this.position++];
    if (byte === undefined) throw new Error("the binary ends too early");
    return byte;
  }

  skip(count: number): void {
    this.position += count;
  }

  /** LEB128. Signed numbers are as long; only their value would be another one. */
  unsigned(count = 1): number {
    let value = 0;
    for (; count > 0; --count) {
      value = 0;
      for (let scale = 1; ; scale *= 128) {
        const byte = this.byte();
        value += (byte & 0x7f) * scale;
        if (byte < 128) break;
      }
    }
    return value;
  }
}
