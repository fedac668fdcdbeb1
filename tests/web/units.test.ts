// The parts of the page that need no browser.
import { describe, expect, it } from "vitest";
import { moved } from "../../web/src/figures/roving";
import { spread } from "../../web/src/figures/spread";
import { BadEntry, type Codec } from "../../web/src/lib/codec";
import { toCsv } from "../../web/src/lib/csv";
import { fromRows, transposed } from "../../web/src/lib/matrix";
import { forFile, readTyped, show, showExact, showShort } from "../../web/src/lib/numbers";
import { codec as positions } from "../../web/src/exhibits/positional-encoding/state";
import { codec as worked, withInput } from "../../web/src/exhibits/worked-example/state";

describe("numbers", () => {
  it.each([
    [0, "0"],
    [-0, "0"],
    [7, "7"],
    [-12, "−12"],
    [1234, "1,234"],
    [0.06337893833, "0.0634"],
    [6.033664855e-6, "6.03e−6"],
    [-0.5, "−0.5000"],
    [1e9, "1.00e9"],
    [Number.NaN, "NaN"],
    [Number.NEGATIVE_INFINITY, "−∞"],
  ])("%d is shown as %s", (value, text) => {
    expect(show(value)).toBe(text);
  });

  it("are short in small pictures and exact in tables and files", () => {
    expect([showShort(0.00001), showShort(0), showShort(1.936)]).toEqual(["0.00", "0", "1.94"]);
    expect(showExact(Math.fround(-0.1))).toBe("−0.100000001");
    expect(forFile(Math.fround(6.033664855e-6))).toBe("0.0000060336647");
    expect(forFile(Number.POSITIVE_INFINITY)).toBe("Infinity");
    expect(forFile(6442450944)).toBe("6442450944");
  });

  it.each([
    ["2", 2],
    [" -0.5 ", -0.5],
    ["−3", -3],
    ["1e-3", 0.001],
    [".5", 0.5],
    ["+4.", 4],
    ["１２", 12],
    ["-0", 0],
  ])("“%s” is read", (text, value) => {
    expect(readTyped(text)).toEqual({ value });
  });

  it.each(["", "a", "1,5", "0x10", "1e", "--1", "1 2", "Infinity", "1e9999"])(
    "“%s” is not read",
    (text) => {
      expect(readTyped(text)).toEqual({ problem: "not-a-number" });
    },
  );

  it("outside of the limits are told apart", () => {
    expect(readTyped("1001")).toEqual({ problem: "out-of-range" });
    expect(readTyped("1e300")).toEqual({ problem: "out-of-range" });
    expect(readTyped("-1000")).toEqual({ value: -1000 });
  });
});

describe("keys", () => {
  const press = (key: string, ctrlKey = false) => ({ key, ctrlKey, metaKey: false, altKey: false });
  it.each([
    ["ArrowLeft", false, { row: 1, column: 0 }],
    ["ArrowUp", false, { row: 0, column: 1 }],
    ["ArrowDown", true, { row: 29, column: 1 }],
    ["Home", true, { row: 0, column: 0 }],
    ["End", false, { row: 1, column: 2 }],
    ["PageDown", false, { row: 11, column: 1 }],
    ["PageUp", false, { row: 0, column: 1 }],
  ])("%s (control %s) leads on", (key, control, cell) => {
    expect(moved(press(key, control), { row: 1, column: 1 }, 30, 3)).toEqual(cell);
  });

  it("that move nothing are left alone", () => {
    expect(moved(press("a"), { row: 0, column: 0 }, 3, 3)).toBeNull();
  });
});

it("labels keep their distance and their order", () => {
  const placed = spread([50, 52, 10, 99], 15, 0, 100);
  const sorted = [...placed].sort((a, b) => a - b);
  sorted.slice(1).forEach((y, i) => expect(y - sorted[i]!).toBeGreaterThanOrEqual(15));
  expect(placed[2]).toBe(10);
  expect(Math.max(...placed)).toBeLessThanOrEqual(100);
});

it("CSV has one line for each row of the last axis", () => {
  const data = Float32Array.from([1, -0.5, 1e-7, 4]);
  expect(toCsv({ name: "A", shape: [2, 1, 2], data })).toBe(
    "# A [2, 1, 2]\n1,-0.5\n1.00000001e-7,4\n",
  );
});

it("a matrix turns", () => {
  const turned = transposed(
    fromRows([
      [1, 2, 3],
      [4, 5, 6],
    ]),
  );
  expect([...turned.data]).toEqual([1, 4, 2, 5, 3, 6]);
});

describe("the address", () => {
  function again<T>(codec: Codec<T>, value: T): T {
    const written = codec.write(value);
    return codec.read((name) => written[name] ?? null);
  }

  it("is empty at the start", () => {
    for (const entries of [worked.write(worked.initial), positions.write(positions.initial)]) {
      expect(Object.values(entries).every((entry) => entry === null)).toBe(true);
    }
  });

  it("gives every state of the worked example back", () => {
    const x = fromRows([
      [1, 0.5, -3, 4],
      [1e-3, 2, 0, 2],
      [1, 1, 1, 1],
    ]);
    const edited = withInput({ ...worked.initial, scaled: true, step: "sum" }, "x", x);
    for (const state of [
      worked.initial,
      edited,
      { ...worked.initial, printed: true },
      { ...worked.initial, preset: "words", scaled: true, seed: 77 } as const,
      { ...worked.initial, preset: "identity", scaled: true } as const,
    ]) {
      expect(again(worked, state)).toEqual(state);
    }
  });

  it("forgets a change that was taken back", () => {
    const start = worked.initial;
    const same = fromRows([
      [1, 0, 1, 0],
      [0, 2, 0, 2],
      [1, 1, 1, 1],
    ]);
    expect(withInput(start, "x", same)).toEqual(start);
  });

  it("gives every state of the positions back", () => {
    const state = {
      length: 12,
      dim: 16,
      dropout: 0.35,
      seed: 9,
      columns: [3, 0],
      first: 2,
      input: [{ row: 3, column: 0, value: -1.5 }],
    };
    expect(again(positions, state)).toEqual(state);
  });

  it.each<Record<string, string>>([
    { x: "1;2" },
    { x: "1,0,1,0;0,2,0,2;1,1,1,1e99" },
    { step: "x" },
    { divide: "yes" },
    { numbers: "words", seed: "-1" },
  ])("refuses %o for the worked example", (entries) => {
    expect(() => worked.read((name) => entries[name] ?? null)).toThrow(BadEntry);
  });

  it.each<Record<string, string>>([
    { n: "0" },
    { d: "3" },
    { p: "0.97" },
    { p: "0.33" },
    { columns: "" },
    { input: "1,1" },
  ])("refuses %o for the positions", (entries) => {
    expect(() => positions.read((name) => entries[name] ?? null)).toThrow(BadEntry);
  });
});
