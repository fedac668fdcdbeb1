// The first call of `long` in a fresh process, or page, over the steady state that the same process
// reaches. Engines begin with quickly compiled, slow code.
import { idOf } from "../contenders.mjs";
import { GROUPS } from "../shapes.mjs";
import { median, spread } from "../statistics.mjs";

export const names = ["first-call"];

const LONG = GROUPS.flat().find(({ name }) => name === "long");

export async function measure({ chosen, opener, quick, say }) {
  const results = [];
  const ratios = [];
  const hosts = quick ? ["chromium"] : ["chromium", "node"];
  const callers = chosen.filter(
    ({ family, host, threads }) => family === "qkv wasm" && hosts.includes(host) && threads === 1,
  );
  for (const contender of callers) {
    const runs = [];
    for (let run = 0; run < (quick ? 2 : 3); ++run) {
      say(`first call: ${idOf(contender)}`);
      const connection = await opener.tryOpen(contender);
      if (!connection) break;
      const { firstMs } = await connection.send({ do: "prepare", shape: LONG });
      await connection.send({ do: "warm", name: LONG.name, milliseconds: 300 });
      const steady = [];
      for (let sample = 0; sample < 3; ++sample) {
        const message = { do: "sample", name: LONG.name, milliseconds: 1 };
        steady.push((await connection.send(message)).ms);
      }
      runs.push({ firstMs, steadyMs: median(steady) });
      await connection.close();
    }
    if (runs.length === 0) continue;
    const { name, threads } = contender;
    const firsts = runs.map(({ firstMs }) => firstMs);
    const steadies = runs.map(({ steadyMs }) => steadyMs);
    const medianMs = median(steadies);
    results.push({
      shape: "first-call",
      contender: name,
      threads,
      firstMs: median(firsts),
      medianMs,
      spread: spread(firsts),
      gflops: LONG.flops / medianMs / 1e6,
      rounds: runs.length,
    });
    ratios.push({
      name: `${name.replace("qkv ", "")}: first call of long over steady state`,
      value: median(runs.map(({ firstMs, steadyMs }) => firstMs / steadyMs)),
      reach: 1.5,
      dream: 1.1,
      higherIsBetter: false,
    });
  }
  return { results, ratios };
}
