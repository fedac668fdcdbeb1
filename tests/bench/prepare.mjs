// Prepares a shape with a contender, in the fastest correct of its formulations.
import { difference } from "./statistics.mjs";

// Relative to the largest number of the output. Everyone computes in float32, in orders of their
// own.
const TOLERANCE = 1e-4;
// The longest call that is waited for.
const CALL_MS = 4000;
// A sample that takes this long is enough to compare formulations by.
const LONG_MS = 200;

// Gives { best, tried }, each an attempt as below, or { error }. `entry.rate` is the contender's
// speed so far, in operations a millisecond. In context: `expected` is our output, absent for a
// probe; `formulations` remembers the fastest ones: of one that is known no others are tried.
export async function prepare(shape, entry, { expected, settings, formulations }) {
  const { connection, contender } = entry;
  const estimate = (shape.flops ?? 0) / (entry.rate ?? Infinity);
  if (estimate > CALL_MS) {
    return { error: `not measured: one call would take about ${(estimate / 1000).toFixed(0)} s` };
  }
  try {
    // What is the fastest in Node is so in Chromium.
    const key = `${contender.family} x${contender.threads} ${shape.name}`;
    const { formulations: all } = await connection.send({ do: "formulations", shape });
    const known = all.filter((name) => name === formulations.get(key));
    const tried = [];
    for (const formulation of known.length > 0 ? known : all) {
      tried.push(await attempt(shape, formulation, connection, expected, settings));
    }
    const correct = tried.filter(({ error }) => !error).sort((a, b) => a.ms - b.ms);
    if (correct.length === 0) return { error: tried.map(({ error }) => error).join("; ") };
    const [best] = correct;
    if (best !== tried.at(-1)) {
      await connection.send({ do: "prepare", shape, formulation: best.formulation });
      await warm(connection, shape, best.firstMs, settings);
    }
    formulations.set(key, best.formulation);
    if (shape.flops > 1e8) entry.rate = shape.flops / best.ms;
    return { best, tried };
  } catch (error) {
    return { error: error.message };
  }
}

// Gives { formulation, ms, firstMs, difference }, for a probe with the flops and bytes of a run, or
// { formulation, error }.
async function attempt(shape, formulation, connection, expected, settings) {
  try {
    const begun = await connection.send({ do: "prepare", shape, formulation });
    let apart;
    if (expected) {
      apart = difference(expected, await connection.output(shape.name));
      if (!(apart <= TOLERANCE)) throw new Error(`its output differs from ours by ${apart}`);
    }
    await warm(connection, shape, begun.firstMs, settings);
    const message = { do: "sample", name: shape.name, milliseconds: settings.sampleMs };
    let ms = Infinity;
    for (let trial = 0; trial < settings.trials; ++trial) {
      ms = Math.min(ms, (await connection.send(message)).ms);
      if (ms > LONG_MS) break;
    }
    return { ...begun, formulation, ms, difference: apart };
  } catch (error) {
    return { formulation, error: error.message };
  }
}

// A call that took this much longer than needed is a warm-up by itself.
async function warm(connection, { name }, firstMs, { warmMs }) {
  if (firstMs > 4 * warmMs) return;
  await connection.send({ do: "warm", name, milliseconds: warmMs });
}
