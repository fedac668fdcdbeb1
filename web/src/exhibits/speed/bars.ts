// The bars of one call: what was recorded, place by place, and what was measured just now.
import type { Bar, BarGroup } from "../../figures/Bars.svelte";
import { showMeasured } from "../../lib/numbers";
import type { Messages } from "../../messages/en";
import type { Measured } from "./measurement.svelte";
import { contenderName, limitText, threadsOf, timeOf } from "./names";
import {
  baselineOf,
  isOurs,
  limitOf,
  placeOf,
  PLACES,
  resultsOf,
  type Place,
  type Result,
} from "./report";

type Texts = Messages["speed"];

// A bar is as long as its call is fast: calls in a millisecond.
const length = (ms: number): number => 1 / ms;

export function barGroups(t: Texts, shape: string, now: readonly Measured[]): BarGroup[] {
  const recorded = PLACES.map((place) => recordedGroup(t, shape, place));
  const bars = now.filter((entry) => entry.shape === shape).map((entry) => barNow(t, entry));
  return [...recorded, { id: "now", title: t.places.now, bars, limit: null }].filter(
    (group) => group.bars.length > 0,
  );
}

function recordedGroup(t: Texts, shape: string, place: Place): BarGroup {
  const results = resultsOf(shape).filter(({ contender }) => placeOf(contender) === place);
  const baseline = baselineOf(shape, place);
  const limit = limitOf(shape, place);
  return {
    id: place,
    title: t.places[place],
    bars: results.map((result) => recordedBar(t, result, baseline)),
    limit: limit && { length: length(limit.ms), text: limitText(t, limit) },
  };
}

function recordedBar(t: Texts, result: Result, baseline: Result | null): Bar {
  const { contender, threads, medianMs, error } = result;
  const bar = {
    id: `${contender} ${threads}`,
    name: contenderName(contender),
    detail: threadsOf(t, threads),
    look: isOurs(result) ? "own" : "other",
  } as const;
  if (medianMs === undefined) {
    return { ...bar, length: null, value: error ?? "", lang: "en", note: "" };
  }
  const note =
    baseline?.medianMs === undefined ? "" : t.times(showMeasured(baseline.medianMs / medianMs));
  return { ...bar, length: length(medianMs), value: timeOf(t, medianMs), note };
}

function barNow(t: Texts, { variant, threads, timing, reason }: Measured): Bar {
  const bar = {
    id: `now ${variant} ${threads}`,
    name: contenderName(`qkv wasm ${variant}`),
    detail: threadsOf(t, threads),
    look: "now",
  } as const;
  if (!timing) return { ...bar, length: null, value: reason ?? "", lang: "en", note: "" };
  return {
    ...bar,
    length: length(timing.medianMs),
    value: timeOf(t, timing.medianMs),
    note: t.firstShort(timeOf(t, timing.firstMs)),
  };
}
