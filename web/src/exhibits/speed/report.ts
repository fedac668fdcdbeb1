// The recorded report of `npm run bench`, as the figures want it. The page is built with it, so
// that nothing has to be fetched.
import recorded from "../../../../tests/bench/recorded.json";

export interface Result {
  readonly shape: string;
  readonly contender: string;
  readonly threads: number;
  /** Milliseconds. Absent where there is an error instead. */
  readonly firstMs?: number;
  readonly medianMs?: number;
  /** Distance of the quartiles over the median. */
  readonly spread?: number | null;
  readonly gflops?: number | null;
  readonly gbPerSecond?: number;
  readonly error?: string;
}

export interface Ratio {
  readonly name: string;
  readonly value: number;
  /** What was aimed at, and what would be more than that. */
  readonly reach: number | null;
  readonly dream: number | null;
  readonly higherIsBetter: boolean;
}

export interface Report {
  readonly date?: string;
  readonly machine: {
    readonly processor: string;
    readonly cores: number;
    readonly memoryBytes: number;
    readonly system: string;
  };
  readonly versions: Readonly<Record<string, string>>;
  readonly results: readonly Result[];
  readonly ratios: readonly Ratio[];
  readonly absent: readonly {
    readonly contender: string;
    readonly threads: number;
    readonly reason: string;
  }[];
}

export const report: Report = recorded;

/** Where a contender runs. */
export const PLACES = ["native", "node", "browser"] as const;
export type Place = (typeof PLACES)[number];

export function placeOf(contender: string): Place {
  if (contender.endsWith(", Chromium")) return "browser";
  return /\bwasm\b|^onnxruntime-web/.test(contender) ? "node" : "native";
}

export const isOurs = ({ contender }: Result): boolean => contender.startsWith("qkv");
const isMachine = ({ contender }: Result): boolean => contender.startsWith("machine");

// Figures that are no calls of attention. What was aimed at with them stands among the ratios.
const NO_CALLS = ["load", "first-call", "worker", "transfer"];

/** The attention calls that were measured, in the order of the report. */
export const SHAPES: readonly string[] = [
  ...new Set(
    report.results
      .filter((result) => !isMachine(result) && !NO_CALLS.includes(result.shape))
      .map(({ shape }) => shape),
  ),
];

export const resultsOf = (shape: string): readonly Result[] =>
  report.results.filter((result) => result.shape === shape && !isMachine(result));

export interface Limit {
  readonly kind: "compute" | "memory";
  /** GFLOP/s or GB/s. */
  readonly rate: number;
  /** The time of a call that reaches it. */
  readonly ms: number;
}

// A limit further away than this says nothing about a call: other things take its time.
const NEAR = 4;

/**
 * What one thread of the machine can do at most, as a time of this call: the multiply-adds of the
 * processor, or what it reads from memory where that is what a call waits for.
 */
export function limitOf(shape: string, place: Place): Limit | null {
  const timed = resultsOf(shape).filter((result) => result.medianMs !== undefined);
  const fastest = Math.min(...timed.map(({ medianMs }) => medianMs!));
  const byMemory = timed.find(({ gbPerSecond }) => gbPerSecond !== undefined);
  const byCompute = timed.find(({ gflops }) => typeof gflops === "number");
  const one = byMemory ?? byCompute;
  const rate = byMemory ? rateOf("read", "native") : rateOf("fma", place);
  if (!one || !rate) return null;
  const ms = (one.medianMs! * (byMemory ? one.gbPerSecond! : one.gflops!)) / rate;
  return ms * NEAR < fastest ? null : { kind: byMemory ? "memory" : "compute", rate, ms };
}

/** Memory is the same everywhere; what WebAssembly can multiply and add was measured in Node. */
function rateOf(probe: "fma" | "read", place: Place): number | null {
  const where = place === "browser" ? "node" : place;
  const rates = report.results
    .filter((result) => result.shape === probe && isMachine(result))
    .filter(({ contender }) => placeOf(contender) === where)
    .map(({ gflops, gbPerSecond }) => (probe === "read" ? gbPerSecond : gflops) ?? 0);
  return rates.length > 0 ? Math.max(...rates) : null;
}

/** Whom the others are compared with: onnxruntime on one thread, in the same place. */
export function baselineOf(shape: string, place: Place): Result | null {
  const found = resultsOf(shape).find(
    ({ contender, threads, medianMs }) =>
      contender.startsWith("onnxruntime") &&
      threads === 1 &&
      medianMs !== undefined &&
      placeOf(contender) === place,
  );
  return found ?? null;
}
