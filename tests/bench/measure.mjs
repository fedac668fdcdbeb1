// Measures a group of shapes: every contender prepares them, its output is compared with ours, and
// then rounds follow in which everyone takes one sample of each shape. What disturbs the machine
// disturbs a whole round, so that ratios are taken within rounds.
import { setTimeout as sleep } from "node:timers/promises";
import { idOf } from "./contenders.mjs";
import { prepare } from "./prepare.mjs";
import { median, spread } from "./statistics.mjs";

// Threads that wait for more work spin for a while, which would slow down who comes next: measured,
// up to 50 ms with onnxruntime.
const SETTLE_MS = 50;
// Who takes this long for a sample takes part in the first rounds only.
const SLOW_MS = 1000;
const SLOW_ROUNDS = 3;
// Of a probe, whose single runs are very short.
const PROBE_MS = 50;

// The settings of a run.
export const FULL = {
  sampleMs: 40,
  warmMs: 200,
  leastRounds: 5,
  mostRounds: 15,
  groupMs: 25_000, // after which no further round of a group begins
  trials: 3, // samples by which a formulation is chosen
};
export const QUICK = {
  sampleMs: 15,
  warmMs: 60,
  leastRounds: 3,
  mostRounds: 5,
  groupMs: 2500,
  trials: 1,
};

// `entries` are open contenders: { contender, connection, rate }, and `formulations` remembers the
// fastest ones. Gives a result for each contender and shape, with the `samples` of the rounds:
// milliseconds, or undefined where a round was left out.
export async function measureGroup(shapes, entries, context) {
  const { reference, settings, formulations, takes, say } = context;
  const expected = new Map();
  for (const shape of shapes.filter((shape) => !shape.probe)) {
    if (!entries.some((entry) => takes(entry, shape))) continue;
    await reference.send({ do: "prepare", shape });
    expected.set(shape.name, await reference.output(shape.name));
    await reference.send({ do: "release", name: shape.name });
  }
  const lines = [];
  for (const entry of entries) {
    for (const shape of shapes.filter((shape) => takes(entry, shape))) {
      say(`${shape.name}: ${idOf(entry.contender)} prepares`);
      const options = { expected: expected.get(shape.name), settings, formulations };
      lines.push({ entry, shape, samples: [], ...(await prepare(shape, entry, options)) });
    }
  }
  await takeRounds(lines, settings, say);
  for (const { entry, shape } of lines) {
    await entry.connection.send({ do: "release", name: shape.name }).catch(() => {});
  }
  return lines.map(resultOf);
}

async function takeRounds(lines, settings, say) {
  const { leastRounds, mostRounds, groupMs, sampleMs } = settings;
  const end = performance.now() + groupMs;
  for (let round = 0; round < mostRounds; ++round) {
    if (round >= leastRounds && performance.now() > end) break;
    say(`round ${round + 1}`);
    // To and fro, so that nobody always comes after the same one.
    for (const line of round % 2 ? [...lines].reverse() : lines) {
      if (line.error || (round >= SLOW_ROUNDS && line.samples.at(-1) > SLOW_MS)) continue;
      const { connection, contender } = line.entry;
      const milliseconds = line.shape.probe ? PROBE_MS : sampleMs;
      try {
        const message = { do: "sample", name: line.shape.name, milliseconds };
        line.samples[round] = (await connection.send(message)).ms;
      } catch (error) {
        line.error = error.message;
      }
      if (contender.threads > 1) await sleep(SETTLE_MS);
    }
  }
}

function resultOf({ entry, shape, samples, error, best, tried }) {
  const { name, threads } = entry.contender;
  const result = { shape: shape.name, contender: name, threads };
  if (error) return { ...result, error };
  const { firstMs, difference } = best;
  const { flops = best.flops, bytes = best.bytes } = shape;
  const times = samples.filter((ms) => ms !== undefined);
  const medianMs = median(times);
  return {
    ...result,
    firstMs,
    medianMs,
    spread: spread(times),
    gflops: flops ? flops / medianMs / 1e6 : null,
    callsPerSecond: 1000 / medianMs,
    gbPerSecond: bytes ? bytes / medianMs / 1e6 : undefined,
    difference,
    formulation: best.formulation,
    tried:
      tried.length > 1
        ? tried.map(({ formulation, ms, error }) => ({ formulation, ms, error }))
        : undefined,
    rounds: times.length,
    work: { flops, bytes },
    samples,
  };
}
