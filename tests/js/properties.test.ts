// What holds for any numbers.
import fc from "fast-check";
import { mask, type Mask, type Normalizer, type Score } from "qkv";
import { describe, expect, it } from "vitest";
import { EXACT, expectClose } from "./support/compare.js";
import { qkv } from "./support/qkv.js";
import { order, permuteRows, problem, tensorOf, type Data } from "./support/random.js";

const scores: readonly Score[] = ["scaledDot", "dot", "cosine"];
// Sums of many float32 products.
const ROUNDING = { relative: 1e-5, absolute: 1e-5 };

describe("attention", () => {
  it("has weights that sum to 1 for each query", () => {
    fc.assert(
      fc.property(problem, fc.constantFrom(...scores), ({ query, key, value }, score) => {
        const { weights, logSumExp } = qkv.attention(query, key, value, {
          score,
          returns: { weights: true, logSumExp: true },
        });
        const keys = key.shape[0];
        for (let row = 0; row < query.shape[0]; ++row) {
          const entries = weights.data.subarray(row * keys, (row + 1) * keys);
          expect(entries.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 5);
          expect(Math.min(...entries)).toBeGreaterThanOrEqual(0);
        }
        expect(logSumExp.data.every(Number.isFinite)).toBe(true);
      }),
    );
  });

  it("does not depend on the order of the keys", () => {
    fc.assert(
      fc.property(
        problem.chain((given) => fc.tuple(fc.constant(given), order(given.key.shape[0]))),
        ([{ query, key, value }, keyOrder]) => {
          const plain = qkv.attention(query, key, value).output;
          const permuted = qkv.attention(
            query,
            permuteRows(key, keyOrder),
            permuteRows(value, keyOrder),
          ).output;
          expectClose(permuted, plain, ROUNDING);
        },
      ),
    );
  });

  it("treats each query by itself: permuting queries permutes rows", () => {
    fc.assert(
      fc.property(
        problem.chain((given) => fc.tuple(fc.constant(given), order(given.query.shape[0]))),
        ([{ query, key, value }, queryOrder]) => {
          const plain = qkv.attention(query, key, value).output;
          const permuted = qkv.attention(permuteRows(query, queryOrder), key, value).output;
          expectClose(permuted, permuteRows(plain as Data, queryOrder), EXACT);
        },
      ),
    );
  });

  it("with a causal mask does not see the future", () => {
    fc.assert(
      fc.property(
        problem.chain((given) =>
          fc.record({
            given: fc.constant(given),
            now: fc.nat(given.key.shape[0] - 1),
            future: fc.constantFrom(NaN, Infinity, -Infinity, 1e30, -3),
          }),
        ),
        ({ given: { query, key, value }, now, future }) => {
          const options = { mask: mask.causal() };
          const before = qkv.attention(query, key, value, options).output;
          const after = qkv.attention(
            query,
            overwritten(key, now + 1, future),
            overwritten(value, now + 1, future),
            options,
          ).output;
          const seen = Math.min(now + 1, query.shape[0]) * value.shape[1];
          const past = (data: Float32Array) => ({ shape: [seen], data: data.subarray(0, seen) });
          expectClose(past(after.data), past(before.data), EXACT);
        },
      ),
    );
  });

  it("does not change when every score of a row is shifted", () => {
    fc.assert(
      fc.property(problem, fc.integer({ min: -64, max: 64 }), ({ query, key, value }, shift) => {
        const plain = qkv.attention(query, key, value, { returns: { logSumExp: true } });
        const shifted = qkv.attention(query, key, value, {
          bias: [[shift / 4]],
          returns: { logSumExp: true },
        });
        expectClose(shifted.output, plain.output, { relative: 1e-4, absolute: 1e-5 });
        const expected = plain.logSumExp.data.map((entry) => entry + shift / 4);
        expectClose(shifted.logSumExp, { shape: plain.logSumExp.shape, data: expected }, ROUNDING);
      }),
    );
  });

  it("gives a mean of the values: never outside their range", () => {
    fc.assert(
      fc.property(problem, ({ query, key, value }) => {
        const { output } = qkv.attention(query, key, value);
        const width = value.shape[1];
        for (let column = 0; column < width; ++column) {
          const values = value.data.filter((_, index) => index % width === column);
          const results = output.data.filter((_, index) => index % width === column);
          expect(Math.max(...results)).toBeLessThanOrEqual(Math.max(...values) + 1e-5);
          expect(Math.min(...results)).toBeGreaterThanOrEqual(Math.min(...values) - 1e-5);
        }
      }),
    );
  });

  it("treats heads and batch entries each by itself", () => {
    const sizes = fc.tuple(
      fc.integer({ min: 1, max: 2 }),
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 1, max: 3 }),
    );
    fc.assert(
      fc.property(
        sizes.chain(([batch, kvHeads, group]) =>
          fc.record({
            query: tensorOf([batch, kvHeads * group, 5, 3]),
            key: tensorOf([batch, kvHeads, 7, 3]),
            value: tensorOf([batch, kvHeads, 7, 2]),
          }),
        ),
        ({ query, key, value }) => {
          const { output } = qkv.attention(query, key, value);
          const [batch, heads] = query.shape;
          const kvHeads = key.shape[1];
          for (let head = 0; head < batch * heads; ++head) {
            const entry = Math.floor(head / heads);
            const kvHead = entry * kvHeads + Math.floor((head % heads) / (heads / kvHeads));
            const alone = qkv.attention(
              matrix(query, head),
              matrix(key, kvHead),
              matrix(value, kvHead),
            ).output;
            expectClose(matrix(output as Data, head), alone, EXACT);
          }
        },
      ),
    );
  });

  it("draws the same for the same seed, and drops about as much as asked", () => {
    const one = { data: new Float32Array(4096).fill(1), shape: [4096, 1] };
    const returns = { weights: true } as const;
    const draw = (seed: number) =>
      qkv.attention([[0]], one, one, { dropout: { p: 0.25, seed }, returns }).weights.data;
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
    const dropped = draw(7).filter((weight) => weight === 0).length / 4096;
    expect(dropped).toBeGreaterThan(0.22);
    expect(dropped).toBeLessThan(0.28);
    const kept = draw(7).find((weight) => weight !== 0) ?? 0;
    expect(kept).toBeCloseTo(1 / 4096 / 0.75, 8);
  });

  it("draws keys by their weights", () => {
    const query = { data: new Float32Array(4000).fill(1), shape: [4000, 1] };
    const normalizer: Normalizer = { sample: { seed: 3 } };
    const key = [[Math.log(1)], [Math.log(3)]];
    const { output } = qkv.attention(query, key, [[0], [1]], { normalizer });
    const mean = output.data.reduce((sum, entry) => sum + entry, 0) / 4000;
    expect(mean).toBeGreaterThan(0.72);
    expect(mean).toBeLessThan(0.78);
  });
});

describe("masks", () => {
  // A mask, and what it says pair by pair.
  interface Described {
    readonly mask: Mask;
    readonly text: string;
    allows(query: number, key: number, sizes: Sizes): boolean;
  }
  interface Sizes {
    readonly queryLength: number;
    readonly keyLength: number;
  }

  const remainder = (a: number, b: number) => ((a % b) + b) % b;
  const simple: fc.Arbitrary<Described> = fc.oneof(
    fc.integer({ min: -5, max: 70 }).map((offset) => ({
      mask: mask.causal({ offset }),
      text: `causal ${offset}`,
      allows: (i: number, j: number) => j <= i + offset,
    })),
    fc.constant({
      mask: mask.causal({ offset: "end" }),
      text: "causal end",
      allows: (i: number, j: number, sizes: Sizes) => j <= i + sizes.keyLength - sizes.queryLength,
    }),
    fc
      .tuple(fc.option(fc.nat(70), { nil: undefined }), fc.option(fc.nat(70), { nil: undefined }))
      .map(([left, right]) => ({
        mask: mask.window({ left, right }),
        text: `window ${left} ${right}`,
        allows: (i: number, j: number) =>
          (left === undefined || i - left <= j) && (right === undefined || j <= i + right),
      })),
    fc.tuple(fc.integer({ min: 1, max: 70 }), fc.boolean()).map(([stride, causal]) => ({
      mask: mask.strided({ stride, causal }),
      text: `strided ${stride} ${causal}`,
      allows: (i: number, j: number) => remainder(i - j, stride) === 0 && (!causal || j <= i),
    })),
    fc.tuple(fc.nat(5), fc.integer({ min: 1, max: 30 })).map(([radius, dilation]) => ({
      mask: mask.dilated({ radius, dilation }),
      text: `dilated ${radius} ${dilation}`,
      allows: (i: number, j: number) =>
        Math.abs(i - j) <= radius * dilation && remainder(i - j, dilation) === 0,
    })),
    fc.integer({ min: 1, max: 70 }).map((size) => ({
      mask: mask.blockLocal({ size }),
      text: `blockLocal ${size}`,
      allows: (i: number, j: number) => Math.floor(i / size) === Math.floor(j / size),
    })),
    fc.uniqueArray(fc.nat(2), { maxLength: 3 }).map((tokens) => ({
      mask: mask.global({ tokens }),
      text: `global ${tokens}`,
      allows: (i: number, j: number) => tokens.includes(i) || tokens.includes(j),
    })),
    fc.tuple(fc.nat(3), fc.nat(3)).map(([key, query]) => ({
      mask: mask.lengths({ key: [key], query: [query] }),
      text: `lengths ${key} ${query}`,
      allows: (i: number, j: number) => i < query && j < key,
    })),
  );
  const { described } = fc.letrec<{ described: Described }>((tie) => {
    const some = fc.array(tie("described"), { minLength: 1, maxLength: 3 });
    return {
      described: fc.oneof(
        { depthSize: "small" },
        simple,
        some.map((parts) => ({
          mask: mask.and(...parts.map((part) => part.mask)),
          text: `(${parts.map((part) => part.text).join(" and ")})`,
          allows: (i: number, j: number, sizes: Sizes) =>
            parts.every((part) => part.allows(i, j, sizes)),
        })),
        some.map((parts) => ({
          mask: mask.or(...parts.map((part) => part.mask)),
          text: `(${parts.map((part) => part.text).join(" or ")})`,
          allows: (i: number, j: number, sizes: Sizes) =>
            parts.some((part) => part.allows(i, j, sizes)),
        })),
        tie("described").map((part) => ({
          mask: mask.not(part.mask),
          text: `not ${part.text}`,
          allows: (i: number, j: number, sizes: Sizes) => !part.allows(i, j, sizes),
        })),
      ),
    };
  });
  const maskLength = fc.oneof(fc.integer({ min: 3, max: 9 }), fc.constantFrom(63, 64, 65, 130));
  const sized = fc.record({
    described: described.map((one) => Object.assign(one, { toString: () => one.text })),
    sizes: fc.record({ queryLength: maskLength, keyLength: maskLength }),
  });

  function dense(one: Described, sizes: Sizes): number[] {
    return Array.from({ length: sizes.queryLength * sizes.keyLength }, (_, pair) =>
      Number(one.allows(Math.floor(pair / sizes.keyLength), pair % sizes.keyLength, sizes)),
    );
  }

  it("and their combinations say of each pair what their parts say", () => {
    fc.assert(
      fc.property(sized, ({ described: one, sizes }) => {
        const matrix = qkv.maskMatrix(one.mask, sizes);
        const want = dense(one, sizes);
        expectClose(matrix, { shape: [sizes.queryLength, sizes.keyLength], data: want }, EXACT);
        const stats = qkv.maskStats(one.mask, sizes);
        const pairs = want.reduce((sum, allowed) => sum + allowed, 0);
        expect(stats.pairs).toBe(pairs);
        expect(stats.density).toBeCloseTo(pairs / want.length, 12);
        expect(stats.fullBlocks).toBeLessThanOrEqual(stats.blocks);
      }),
      { numRuns: 300 },
    );
  });

  it("act as the matrix of zeros and ones does", () => {
    fc.assert(
      fc.property(
        sized.chain(({ described: one, sizes }) =>
          fc.record({
            one: fc.constant(one),
            sizes: fc.constant(sizes),
            query: tensorOf([sizes.queryLength, 4]),
            key: tensorOf([sizes.keyLength, 4]),
            value: tensorOf([sizes.keyLength, 3]),
          }),
        ),
        ({ one, sizes, query, key, value }) => {
          const bytes = Uint8Array.from(dense(one, sizes));
          const keep = mask.keep({ data: bytes, shape: [sizes.queryLength, sizes.keyLength] });
          const returns = { weights: true, logSumExp: true } as const;
          const byRule = qkv.attention(query, key, value, { mask: one.mask, returns });
          const byMatrix = qkv.attention(query, key, value, { mask: keep, returns });
          expectClose(byRule.output, byMatrix.output, ROUNDING);
          expectClose(byRule.weights, byMatrix.weights, ROUNDING);
          expectClose(byRule.logSumExp, byMatrix.logSumExp, ROUNDING);
          byRule.weights.data.forEach((weight, pair) => {
            if (bytes[pair] === 0) expect(weight).toBe(0);
          });
        },
      ),
    );
  });

  it("of each head are applied to that head", () => {
    const masks = [mask.causal(), mask.not(mask.causal()), mask.window({ left: 1, right: 0 })];
    const sizes = { queryLength: 6, keyLength: 6 };
    const together = qkv.maskMatrix(mask.perHead(masks), { ...sizes, heads: 3 });
    const apart = masks.flatMap((one) => [...qkv.maskMatrix(one, sizes).data]);
    expectClose(together, { shape: [3, 6, 6], data: apart }, EXACT);
  });

  it("drawn at random have as many keys as asked, and the same for the same seed", () => {
    const draw = (seed: number) =>
      qkv.maskMatrix(mask.random({ count: 5, seed }), { queryLength: 70, keyLength: 130 });
    const rows = draw(1).toArray<number[][]>();
    for (const row of rows) expect(row.reduce((sum, entry) => sum + entry, 0)).toBe(5);
    expect(draw(1).data).toEqual(draw(1).data);
    expect(draw(1).data).not.toEqual(draw(2).data);
  });
});

function overwritten({ data, shape }: Data, fromRow: number, value: number): Data {
  return { data: data.slice().fill(value, fromRow * shape[1]), shape };
}

/** The last two axes at a place of the others. */
function matrix({ data, shape }: Data, at: number): Data {
  const [rows, columns] = shape.slice(-2);
  const size = rows * columns;
  return { data: data.slice(at * size, (at + 1) * size), shape: [rows, columns] };
}
