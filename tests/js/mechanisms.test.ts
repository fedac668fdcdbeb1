// The catalogue through the package, and the document made of it.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { document } from "../bench/document.mjs";
import { qkv } from "./support/qkv.js";

const top = new URL("../../", import.meta.url);
const read = (name: string) => readFileSync(new URL(name, top), "utf8");

const x = {
  data: Float32Array.from({ length: 40 * 8 }, (_, i) => Math.sin(i * 0.7)),
  shape: [40, 8],
};

describe("the catalogue", () => {
  for (const mechanism of qkv.mechanisms) {
    it(`runs ${mechanism.name}`, () => {
      const { output } = mechanism.run(x);
      expect(output.data.every(Number.isFinite)).toBe(true);
      const { multiplyAdds, bytes } = mechanism.cost(1024, 64);
      expect(multiplyAdds).toBeGreaterThanOrEqual(0);
      expect(bytes).toBeGreaterThanOrEqual(0);
      const pairs = mechanism.pattern?.(40);
      if (pairs !== undefined) expect(pairs.shape).toEqual([40, 40]);
    });
  }

  it("takes parameters by name", () => {
    const local = qkv.mechanisms.find(({ name }) => name === "local");
    const pairs = local?.pattern?.(9, { window: 1 }).data.reduce((sum, one) => sum + one, 0);
    expect(pairs).toBe(9 + 2 * 8);
    expect(() => local?.run(x, { windows: 1 })).toThrow(/unknown option "windows"; local knows window/);
    expect(() => local?.run(x, { window: -1 })).toThrow(/window is a whole number of 0 or more; saw -1/);
  });

  it("draws weights once", () => {
    for (const mechanism of qkv.mechanisms) {
      const weights = mechanism.draw(40, 8);
      expect(Object.keys(weights)).toEqual(mechanism.weights);
      expect(mechanism.run(x, {}, weights).output.data).toEqual(mechanism.run(x).output.data);
      for (const weight of Object.values(weights)) weight.dispose();
    }
  });

  it("takes weights by name", () => {
    const linformer = qkv.mechanisms.find(({ name }) => name === "linformer");
    const keyProjection = qkv.tensor(
      Array.from({ length: 40 }, (_, i) => Array.from({ length: 40 }, (_, j) => Number(i === j))),
    );
    const options = { keys: 40 };
    const exact = qkv.attention(x, x, x).output.data;
    const { data } = linformer!.run(x, options, { keyProjection }).output;
    data.forEach((number, i) => expect(number).toBeCloseTo(exact[i]!, 5));
    expect(() => linformer!.run(x, options, {})).toThrow(/weights\.keyProjection/);
    expect(() => linformer!.run(x, options, { keyProjections: keyProjection })).toThrow(
      /keyProjections/,
    );
    const short = linformer!.draw(39, 8);
    expect(() => linformer!.run(x, options, short)).toThrow(/keyProjection.*40.*39/);
  });

  it("agrees with exact attention where it is exact attention", () => {
    const [attention] = qkv.mechanisms;
    const direct = qkv.attention(x, x, x).output;
    expect(attention?.run(x).output.data).toEqual(direct.data);
  });

  it("is what the document says", () => {
    const recorded: unknown = JSON.parse(read("tests/bench/recorded-mechanisms.json"));
    expect(read("docs/mechanisms.md")).toBe(document(qkv.mechanisms, recorded));
  });
});
