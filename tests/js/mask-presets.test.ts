// The masks that papers are named after: described in JavaScript, read by the core.
import { mask, type Mask } from "qkv";
import { describe, expect, it } from "vitest";
import { qkv } from "./support/qkv.js";

/** The keys that each query sees. */
function rows(of: Mask, length: number): number[][] {
  const { data } = qkv.maskMatrix(of, { queryLength: length, keyLength: length });
  return Array.from({ length }, (_, query) =>
    Array.from({ length }, (_, key) => key).filter((key) => data[query * length + key] === 1),
  );
}

describe("sparseTransformer", () => {
  it("is strided unless told otherwise", () => {
    const want = [
      [0],
      [0, 1],
      [0, 1, 2],
      [0, 1, 2, 3],
      [1, 2, 3, 4],
      [2, 3, 4, 5],
      [0, 3, 4, 5, 6],
    ];
    expect(rows(mask.sparseTransformer({ stride: 3 }), 7)).toEqual(want);
    expect(rows(mask.sparseTransformer({ stride: 3, kind: "strided" }), 7)).toEqual(want);
  });

  it("is fixed with one summary unless told otherwise", () => {
    const want = [[0], [0, 1], [0, 1, 2], [2, 3], [2, 3, 4], [2, 3, 4, 5], [2, 5, 6]];
    expect(rows(mask.sparseTransformer({ stride: 3, kind: "fixed" }), 7)).toEqual(want);
    expect(rows(mask.sparseTransformer({ stride: 3, kind: "fixed", summary: 1 }), 7)).toEqual(want);
    const two = mask.sparseTransformer({ stride: 3, kind: "fixed", summary: 2 });
    expect(rows(two, 7)[6]).toEqual([1, 2, 4, 5, 6]);
  });

  it("is a plain frozen description", () => {
    const described = mask.sparseTransformer({ stride: 3, kind: "fixed", summary: 2 });
    expect(described).toEqual({
      kind: "sparseTransformer",
      pattern: "fixed",
      stride: 3,
      summary: 2,
    });
    expect(Object.isFrozen(described)).toBe(true);
  });

  it("names what does not fit", () => {
    const sizes = { queryLength: 4, keyLength: 4 };
    expect(() => qkv.maskMatrix(mask.sparseTransformer({ stride: 0 }), sizes)).toThrow(/stride.*0/);
    expect(() =>
      qkv.maskMatrix(mask.sparseTransformer({ stride: 3, kind: "fixed", summary: 4 }), sizes),
    ).toThrow(/summary.*3 and 4/);
    expect(() =>
      // @ts-expect-error: not one of the two words
      qkv.maskMatrix(mask.sparseTransformer({ stride: 3, kind: "dense" }), sizes),
    ).toThrow(/"strided" or "fixed".*"dense"/);
  });
});

it("longformer is a window and global tokens", () => {
  expect(rows(mask.longformer({ window: 1, global: [0] }), 6)).toEqual([
    [0, 1, 2, 3, 4, 5],
    [0, 1, 2],
    [0, 1, 2, 3],
    [0, 2, 3, 4],
    [0, 3, 4, 5],
    [0, 4, 5],
  ]);
  expect(rows(mask.longformer({ window: 0, global: [] }), 2)).toEqual([[0], [1]]);
});

describe("bigBird", () => {
  it("is window, global and given blocks", () => {
    const want = [
      [0, 1, 2, 3, 4, 5],
      [0, 1, 2, 5],
      [0, 1, 2, 3, 5],
      [0, 2, 3, 4, 5],
      [0, 3, 4, 5],
      [0, 1, 2, 3, 4, 5],
    ];
    expect(rows(mask.bigBird({ blockSize: 1, randomBlocks: 0 }), 6)).toEqual(want);
    expect(rows(mask.bigBird({ blockSize: 1, pairs: [[1, 4]] }), 6)[1]).toEqual([0, 1, 2, 4, 5]);
    expect(rows(mask.bigBird({ blockSize: 1, globalBlocks: 0, pairs: [] }), 3)).toEqual([
      [0, 1],
      [0, 1, 2],
      [1, 2],
    ]);
  });

  it("draws blocks by its seed, others for each head", () => {
    const sizes = { queryLength: 40, keyLength: 40, heads: 4 };
    const drawn = (seed: number) =>
      Array.from(qkv.maskMatrix(mask.bigBird({ blockSize: 2, randomBlocks: 2, seed }), sizes).data);
    const first = drawn(1);
    expect(drawn(1)).toEqual(first);
    expect(drawn(2)).not.toEqual(first);
    expect(first.slice(0, 1600)).not.toEqual(first.slice(1600, 3200));
    // A row in the middle sees three blocks of its window, two global and two random ones.
    expect(first.slice(20 * 40, 21 * 40).reduce((sum, pair) => sum + pair, 0)).toBe(14);
  });

  it("says how many blocks there are", () => {
    const sizes = { queryLength: 12, keyLength: 12 };
    expect(() => qkv.maskMatrix(mask.bigBird({ blockSize: 2, randomBlocks: 3 }), sizes)).toThrow(
      /randomBlocks is 3.*6 key blocks/,
    );
  });
});
