// Runs suites one after another and adds up what they report.

export class Summary {
  #rows = [];

  // A suite: { name, run() } where run gives { passed, failed, failures: [names] }, or throws when
  // it could not be run at all.
  async run({ name, run }) {
    console.log(`\n== ${name}`);
    const start = performance.now();
    let result;
    try {
      result = await run();
      if (result.passed + result.failed === 0) throw new Error("no test was run");
    } catch (error) {
      console.error(error.message ?? error);
      result = { passed: 0, failed: 1, failures: [`${name} did not run`] };
    }
    const seconds = (performance.now() - start) / 1000;
    for (const failure of result.failures) console.log(`   failed: ${failure}`);
    console.log(`   ${result.passed} passed, ${result.failed} failed in ${seconds.toFixed(0)} s`);
    this.#rows.push({ name, seconds, ...result });
  }

  // Prints the table and the sum; gives the number of failures.
  finish() {
    console.log("\nsuite                      passed  failed  seconds");
    for (const { name, passed, failed, seconds } of this.#rows) {
      const columns = [String(passed).padStart(7), String(failed).padStart(8)];
      console.log(`${name.padEnd(26)}${columns.join("")}${seconds.toFixed(0).padStart(9)}`);
    }
    const sum = (key) => this.#rows.reduce((total, row) => total + row[key], 0);
    const failed = sum("failed") + (this.#rows.length === 0 ? 1 : 0);
    console.log(`\n${sum("passed")} passed, ${failed} failed`);
    return failed;
  }
}
