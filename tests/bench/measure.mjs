// Measures a group of shapes: every contender prepares them, its output is compared with ours, and
// then rounds follow in which everyone takes one sample of each shape. What disturbs the machine
// disturbs a whole round, so that ratios are taken within rounds.
import { setTimeout as sleep } from "node:timers/promises";
import { idOf } from "./contenders.mjs";
import { difference, median, spread } from "./statistics.mjs";

// Relative to the largest number of the output. Everyone computes in float32, in orders of their
// own.
const TOLERANCE = 1e-4;
// Threads that wait for more work spin for a while, which would slow down who comes next: measured,
// up to 50 ms with onnxruntime.
const SETTLE_MS = 50;
// Who takes this long for a sample takes part in the first rounds only.
const SLOW_MS = 1000;
const SLOW_ROUNDS = 3;
// Of a probe, whose single runs are very short.
const PROBE_MS = 50;

// How long a sample and a warm-up take, how many rounds there are at least and at most, how long
// the rounds of a group may go on, how long a single call may take, and how many samples choose a
// formulation.
export const FULL = {
  ...{ sampleMs: 40, warmMs: 200, rounds: [5, 15], groupMs: 40_000, callMs: 4000, trials: 3 },
  share: false,
};
export const QUICK = {
  ...{ sampleMs: 15, warmMs: 60, rounds: [3, 5], groupMs: 2_500, callMs: 1500, trials: 1 },
  share: true,
};

// `entries` are open contenders: { contender, connection, rate }. `formulations` remembers the
// fastest ones; a quick run (`settings.share`) tries no others. Gives for each shape { shape,
// contender, threads, ..., samples: [{ ms } or undefined, one per round] }.
export async function measureGroup(shapes, entries, { reference, settings, formulations, say }) {
  const expected = new Map();
  for (const shape of shapes.filter((shape) => !shape.probe)) {
    await reference.send({ do: "prepare", shape });
    expected.set(shape.name, await reference.output(shape.name));
    await reference.send({ do: "release", name: shape.name });
  }
  const lines = [];
  for (const entry of entries) {
    for (const shape of shapes.filter((shape) => entry.contender.takes(shape))) {
      say(`${shape.name}: ${idOf(entry.contender)} prepares`);
      const line = await prepare(shape, entry, expected.get(shape.name), settings, formulations);
      lines.push({ entry, shape, samples: [], ...line });
    }
  }
  await takeRounds(
    lines.filter(({ error }) => !error),
    settings,
    say,
  );
  for (const { entry, shape } of lines) {
    await entry.connection.send({ do: "release", name: shape.name }).catch(() => {});
  }
  return lines.map(finish);
}

// Tries the contender's formulations and leaves the fastest correct one prepared.
async function prepare(shape, entry, expected, settings, formulations) {
  const { connection, contender } = entry;
  const estimate = (shape.flops ?? 0) / (entry.rate ?? Infinity);
  if (estimate > settings.callMs) {
    return { error: `not measured: one call would take about ${(estimate / 1000).toFixed(0)} s` };
  }
  try {
    const key = `${contender.family} ${shape.name}`;
    const { formulations: all } = await connection.send({ do: "formulations", shape });
    const known = all.filter((name) => settings.share && name === formulations.get(key));
    const tried = [];
    for (const name of known.length > 0 ? known : all) {
      tried.push(await attempt(shape, name, connection, expected, settings));
    }
    const correct = tried.filter(({ error }) => !error).sort((a, b) => a.ms - b.ms);
    if (correct.length === 0) return { error: tried.map(({ error }) => error).join("; ") };
    const best = correct[0];
    if (best !== tried.at(-1)) {
      await connection.send({ do: "prepare", shape, formulation: best.name });
      await warm(connection, shape, best.firstMs, settings);
    }
    formulations.set(key, best.name);
    if (shape.flops > 1e8) entry.rate = shape.flops / best.ms;
    const { firstMs, flops = shape.flops, bytes = shape.bytes, difference } = best;
    return { firstMs, flops, bytes, difference, formulation: best.name, tried };
  } catch (error) {
    return { error: error.message };
  }
}

async function attempt(shape, name, connection, expected, settings) {
  try {
    const { firstMs, flops, bytes } = await connection.send({
      do: "prepare",
      shape,
      formulation: name,
    });
    let apart;
    if (expected) {
      apart = difference(expected, await connection.output(shape.name));
      if (!(apart <= TOLERANCE)) throw new Error(`its output differs from ours by ${apart}`);
    }
    await warm(connection, shape, firstMs, settings);
    const message = { do: "sample", name: shape.name, milliseconds: settings.sampleMs };
    let ms = Infinity;
    for (let trial = 0; trial < settings.trials; ++trial) {
      ms = Math.min(ms, (await connection.send(message)).ms);
      if (ms > SLOW_MS) break;
    }
    return { name, ms, firstMs, flops, bytes, difference: apart };
  } catch (error) {
    return { name, error: error.message };
  }
}

// A call that took this much longer than needed is a warm-up by itself.
async function warm(connection, shape, firstMs, { warmMs }) {
  if (firstMs > 4 * warmMs) return;
  await connection.send({ do: "warm", name: shape.name, milliseconds: warmMs });
}

async function takeRounds(lines, { rounds: [least, most], groupMs, sampleMs }, say) {
  const end = performance.now() + groupMs;
  for (let round = 0; round < most && (round < least || performance.now() < end); ++round) {
    say(`round ${round + 1}`);
    // To and fro, so that nobody always comes after the same one.
    for (const line of round % 2 ? [...lines].reverse() : lines) {
      if (line.failed || (round >= SLOW_ROUNDS && line.samples.at(-1) > SLOW_MS)) continue;
      const milliseconds = line.shape.probe ? PROBE_MS : sampleMs;
      const message = { do: "sample", name: line.shape.name, milliseconds };
      try {
        line.samples[round] = (await line.entry.connection.send(message)).ms;
      } catch (error) {
        line.failed = error.message;
      }
      if (line.entry.contender.threads > 1) await sleep(SETTLE_MS);
    }
  }
}

function finish({
  entry,
  shape,
  samples,
  error,
  failed,
  firstMs,
  flops,
  bytes,
  difference,
  formulation,
  tried,
}) {
  const { name, threads } = entry.contender;
  const line = { shape: shape.name, contender: name, threads };
  if (error ?? failed) return { ...line, error: error ?? failed };
  const times = samples.filter((ms) => ms !== undefined);
  const medianMs = median(times);
  return {
    ...line,
    firstMs,
    medianMs,
    spread: spread(times),
    gflops: flops ? flops / medianMs / 1e6 : null,
    callsPerSecond: 1000 / medianMs,
    ...(bytes ? { gbPerSecond: bytes / medianMs / 1e6 } : {}),
    ...(difference !== undefined ? { difference } : {}),
    formulation,
    ...(tried.length > 1
      ? { tried: tried.map(({ name, ms, error }) => ({ formulation: name, ms, error })) }
      : {}),
    rounds: times.length,
    work: { flops, bytes },
    samples,
  };
}
