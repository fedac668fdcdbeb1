// Prints results for people.

export function print({ results, ratios, absent, mechanisms }) {
  printResults(results);
  printRatios(ratios);
  if (mechanisms) printMechanisms(mechanisms);
  for (const { contender, threads, reason } of absent) {
    console.log(`did not take part: ${contender}, ${threads} thread(s): ${reason}`);
  }
}

function printResults(results) {
  const columns = [34, 8, 11, 11, 8, 9, 7];
  row(columns, ["contender", "threads", "first ms", "ms", "spread", "GFLOP/s", "GB/s"]);
  let last;
  for (const line of results) {
    if (line.shape !== last) console.log(`\n${(last = line.shape)}`);
    const { contender, threads, firstMs, medianMs, spread, gflops, gbPerSecond, error } = line;
    if (error) {
      console.log(`${`  ${contender}`.padEnd(34)}${String(threads).padStart(8)}  ${error}`);
      continue;
    }
    row(columns, [
      `  ${contender}`,
      threads,
      time(firstMs),
      time(medianMs),
      spread === null ? "" : `${(100 * spread).toFixed(0)} %`,
      gflops?.toFixed(gflops < 10 ? 2 : 1) ?? "",
      gbPerSecond?.toFixed(1) ?? "",
      /^(qkv|machine)/.test(contender) ? "" : `  ${line.formulation}`,
    ]);
  }
}

function printRatios(ratios) {
  console.log("");
  const columns = [66, 9, 9, 9, 9];
  row(columns, ["ratio", "value", "reach", "dream", ""]);
  for (const { name, value, reach, dream, higherIsBetter } of ratios) {
    const met = (target) => (higherIsBetter ? value >= target : value <= target);
    const verdict =
      reach === null
        ? ""
        : dream !== null && met(dream)
          ? "dream"
          : met(reach)
            ? "reached"
            : "missed";
    const bound = (target) => (target === null ? "" : `${higherIsBetter ? "" : "<= "}${target}`);
    row(columns, [name, value.toPrecision(3), bound(reach), bound(dream), verdict]);
  }
}

function printMechanisms({ results, ratios }) {
  const columns = [26, 9, 12, 16, 14, 14, 11];
  console.log("");
  row(columns, ["mechanism", "tokens", "ms", "multiply-adds", "MiB counted", "MiB peak", "error"]);
  let last;
  for (const { name, n, ms, multiplyAdds, bytes, peakBytes, error } of results) {
    const title = name === last ? "" : name;
    last = name;
    const size = (count) => (count / 2 ** 20).toFixed(2);
    const apart = error === null || error === undefined ? "" : error.toExponential(1);
    const work = multiplyAdds.toExponential(2);
    row(columns, [title, n, time(ms), work, size(bytes), size(peakBytes), apart]);
  }
  printRatios(ratios);
}

function row(columns, cells) {
  const [first, ...rest] = cells;
  const numbers = rest.map((cell, index) => String(cell).padStart(columns[index + 1] ?? 0));
  console.log(`${String(first).padEnd(columns[0])}${numbers.join("")}`.trimEnd());
}

const time = (ms) => (ms < 0.1 ? ms.toFixed(5) : ms < 10 ? ms.toFixed(3) : ms.toFixed(1));
