// Sampling by a clock of the test's own, the ways to measure, and what the ratios say.
import { describe, expect, it } from "vitest";
import { named, verdictOf } from "../../web/src/exhibits/speed/ratio-kinds";
import { placeOf, report } from "../../web/src/exhibits/speed/report";
import { timing, type Timing } from "../../web/src/exhibits/speed/sampling";
import { TASKS } from "../../web/src/exhibits/speed/shapes";
import { waysOf } from "../../web/src/exhibits/speed/ways";
import { showMeasured } from "../../web/src/lib/numbers";

/** Runs the sampling on calls that take as long as `cost` says. */
function run(milliseconds: number, cost: (call: number) => number) {
  let clock = 0;
  let calls = 0;
  const steps = timing(
    () => {
      clock += cost(calls);
      calls += 1;
    },
    milliseconds,
    () => clock,
  );
  const parts: number[] = [];
  let step = steps.next();
  for (; !step.done; step = steps.next()) parts.push(step.value);
  return { result: step.value satisfies Timing, parts, clock, calls };
}

describe("sampling", () => {
  it("tells the first call from the steady state", () => {
    const { result } = run(1000, (call) => (call === 0 ? 80 : 4));
    expect(result.firstMs).toBe(80);
    expect(result.medianMs).toBeCloseTo(4, 10);
  });

  it("keeps to its time, with several samples", () => {
    const { result, clock } = run(1000, () => 30);
    expect(result.samples).toBeGreaterThanOrEqual(3);
    expect(clock).toBeLessThan(1100);
  });

  it("takes many short calls together", () => {
    const { result, calls, clock } = run(1000, () => 0.002);
    expect(result.medianMs).toBeCloseTo(0.002, 10);
    expect(calls / result.samples).toBeGreaterThan(1000);
    expect(clock).toBeLessThan(1100);
  });

  it("does not repeat what is longer than all the time", () => {
    const { result, calls } = run(100, () => 500);
    expect(calls).toBe(2);
    expect(result).toEqual({ firstMs: 500, medianMs: 500, samples: 1 });
  });

  it("is not misled by samples that were disturbed", () => {
    // Five of about twenty, halfway through.
    const { result } = run(1000, (call) => (call >= 18 && call < 23 ? 100 : 20));
    expect(result.medianMs).toBe(20);
  });

  it("says how far it is", () => {
    const { parts } = run(500, () => 10);
    expect(parts).toEqual([...parts].sort((a, b) => a - b));
    expect(parts.at(-1)).toBe(1);
  });
});

describe("the ways to measure", () => {
  const isolated = { crossOriginIsolated: true };

  it("are both variants where there is relaxed SIMD", () => {
    expect(waysOf({ variant: "relaxed", threads: 1, ...isolated })).toEqual([
      { variant: "simd128", threads: 1 },
      { variant: "relaxed", threads: 1 },
    ]);
  });

  it("are one and all threads where there are several", () => {
    expect(waysOf({ variant: "simd128", threads: 4, ...isolated })).toEqual([
      { variant: "simd128", threads: 1 },
      { variant: "simd128", threads: "auto" },
    ]);
  });
});

it("measures the benchmark's own calls, all the time shared among them", () => {
  const names = TASKS.map(({ shape }) => shape.name);
  expect(names).toEqual(["3x3", "small", "bert", "causal", "long", "decode"]);
  expect(TASKS.reduce((sum, { part }) => sum + part, 0)).toBeCloseTo(1, 12);
});

it("knows every ratio of the report", () => {
  expect(report.ratios.filter((ratio) => named(ratio) === null)).toEqual([]);
});

it("takes a ratio's name apart", () => {
  const ratio = { value: 1, reach: null, dream: null, higherIsBetter: true };
  const name = "wasm relaxed over onnxruntime-web, Chromium: decode-grouped";
  expect(named({ ...ratio, name })).toMatchObject({
    kind: "speed",
    unit: "times",
    side: "wasm relaxed",
    other: "onnxruntime-web",
    shape: "decode-grouped",
  });
  expect(named({ ...ratio, name: "something new: bert" })).toBeNull();
});

it.each([
  [2, 1.5, 1.9, true, "exceeded"],
  [1.6, 1.5, 1.9, true, "reached"],
  [1.4, 1.5, 1.9, true, "missed"],
  [0.5, 0.55, 0.52, false, "exceeded"],
  [0.54, 0.55, 0.52, false, "reached"],
  [0.6, 0.55, null, false, "missed"],
  [0.9, null, 1, true, "missed"],
  [0.9, null, null, true, "none"],
] as const)("%d for %s or %s, more is better %s: %s", (value, reach, dream, more, verdict) => {
  expect(verdictOf({ name: "", value, reach, dream, higherIsBetter: more })).toBe(verdict);
});

it.each([
  ["qkv native", "native"],
  ["onnxruntime-node", "native"],
  ["PyTorch", "native"],
  ["qkv wasm relaxed", "node"],
  ["onnxruntime-web", "node"],
  ["tfjs wasm", "node"],
  ["onnxruntime-web, Chromium", "browser"],
])("%s runs in %s", (contender, place) => {
  expect(placeOf(contender)).toBe(place);
});

it.each([
  [13.058653, "13.1"],
  [0.0015468, "0.00155"],
  [1311.4, "1,311"],
  [999.6, "1,000"],
  [60, "60"],
])("%d is written %s", (value, text) => {
  expect(showMeasured(value)).toBe(text);
});
