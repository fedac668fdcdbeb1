// `npm start` where everything is built: the worked example in the terminal, the page on localhost,
// and an end without complaint at Ctrl-C.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const START = fileURLToPath(new URL("../../web/start.mjs", import.meta.url));

it("computes, serves and stops", { timeout: 300_000 }, async () => {
  const child = spawn(process.execPath, [START, "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  let output = "";
  const address = await new Promise<string>((done, failed) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      const found = /The tutorial is at (\S+)/.exec(output);
      if (found) done(found[1]!);
    });
    void ended.then(() => failed(new Error(`It ended by itself:\n${output}`)));
  });

  const rows = [
    "1.936621 6.683105 1.595068",
    "1.999994 7.963992 0.053976",
    "1.999705 7.759892 0.358389",
  ];
  expect(output).toContain(rows.map((row) => `  ${row}`).join("\n"));
  const response = await fetch(address);
  expect(response.status).toBe(200);
  expect(await response.text()).toContain('<div id="app">');

  child.kill("SIGINT");
  expect(await ended).toEqual([0, null]);
});

it("says what is no port", async () => {
  const child = spawn(process.execPath, [START, "--port", "eighty"]);
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (complaint += text));
  expect(await once(child, "exit")).toEqual([1, null]);
  expect(complaint).toContain('"eighty" is not a port (0 to 65535).');
});
