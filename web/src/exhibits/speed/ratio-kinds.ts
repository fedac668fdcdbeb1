// The ratios of a report have English names, written by the benchmark for a terminal. Taken apart
// here, so that the page can say them in the reader's language.
import { placeOf, type Place, type Ratio } from "./report";

/** How the number of a ratio is to be read. */
export type Unit = "times" | "percent" | "microseconds" | "milliseconds" | "mebibytes" | "frames";

const SHAPED = ": (?<shape>\\S+)$";

const KINDS = {
  speed: { unit: "times", name: `^(?<side>.+) over (?<other>onnxruntime-\\w+)${SHAPED}` },
  peak: { unit: "percent", name: `^(?<side>.+) share of (?:the FMA|its) peak${SHAPED}` },
  reading: {
    unit: "percent",
    name: `^(?<side>.+) bytes a second over reading memory${SHAPED}`,
  },
  call: { unit: "microseconds", name: `^(?<side>.+) microseconds${SHAPED}` },
  threads: { unit: "times", name: `^(?<side>.+), (?<count>\\d+) threads over 1${SHAPED}` },
  causal: { unit: "percent", name: `^(?<side>.+), causal over full${SHAPED}` },
  window: { unit: "percent", name: `^(?<side>.+), window (?<count>\\d+) over full${SHAPED}` },
  bias: { unit: "percent", name: `^(?<side>.+), bias \\(.+\\) over none${SHAPED}` },
  firstCall: {
    unit: "times",
    name: "^(?<side>.+): first call of (?<shape>\\S+) over steady state$",
  },
  longWindow: {
    unit: "percent",
    name: "^(?<side>.+): window (?<count>\\d+) in (?<length>\\d+) over full$",
  },
  memory: {
    unit: "mebibytes",
    name: "^(?<side>.+): MiB beyond input and output, (?<length>\\d+) tokens$",
  },
  load: { unit: "milliseconds", name: "^ms to load (?<side>.+)$" },
  transfer: { unit: "milliseconds", name: "^ms for 2\\^20 numbers into wasm and out$" },
  frames: {
    unit: "frames",
    name: "^frames a second while a worker attends (?<length>\\d+) tokens$",
  },
  longestFrame: { unit: "milliseconds", name: "^ms of the longest frame meanwhile$" },
} as const satisfies Record<string, { unit: Unit; name: string }>;

export type RatioKind = keyof typeof KINDS;

const PATTERNS = Object.entries(KINDS).map(([kind, { unit, name }]) => ({
  kind: kind as RatioKind,
  unit,
  pattern: new RegExp(name),
}));

export interface NamedRatio {
  readonly kind: RatioKind;
  readonly unit: Unit;
  /** Whose figure it is, such as "wasm relaxed" or "native, 2 threads". */
  readonly side: string;
  readonly other: string;
  readonly shape: string;
  readonly count: string;
  readonly length: string;
}

const IN_A_PAGE = ", Chromium";

/** Null for a name that this page does not know. */
export function named({ name }: Ratio): NamedRatio | null {
  const plain = name.replace(IN_A_PAGE, "");
  for (const { kind, unit, pattern } of PATTERNS) {
    const parts = pattern.exec(plain)?.groups;
    const part = (key: string) => parts?.[key] ?? "";
    if (!pattern.test(plain)) continue;
    return {
      kind,
      unit,
      side: part("side"),
      other: part("other"),
      shape: part("shape"),
      count: part("count"),
      length: part("length"),
    };
  }
  return null;
}

export function placeOfRatio(ratio: Ratio): Place {
  const kind = named(ratio)?.kind;
  if (kind === "frames" || kind === "longestFrame" || ratio.name.includes(IN_A_PAGE)) {
    return "browser";
  }
  return kind === "transfer" ? "node" : placeOf(ratio.name);
}

export type Verdict = "none" | "missed" | "reached" | "exceeded";

export function verdictOf({ value, reach, dream, higherIsBetter }: Ratio): Verdict {
  const meets = (aim: number | null) =>
    aim !== null && (higherIsBetter ? value >= aim : value <= aim);
  if (meets(dream)) return "exceeded";
  if (reach === null) return dream === null ? "none" : "missed";
  return meets(reach) ? "reached" : "missed";
}
