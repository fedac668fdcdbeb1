// A contender in a Node process of its own: node node.mjs MODULE OPTIONS. Messages and answers are
// lines of JSON on standard input and output; outputs go to the file that the message names.
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Host } from "./host.mjs";

const [module, options] = process.argv.slice(2);
const send = (answer) => process.stdout.write(`${JSON.stringify(answer)}\n`);

// What a library prints must not come between the answers.
console.log = console.info = console.error;

try {
  const host = await Host.start(module, JSON.parse(options));
  send(host.info);
  for await (const line of createInterface({ input: process.stdin })) {
    const message = JSON.parse(line);
    try {
      const { output, ...answer } = await host.answer(message);
      if (output) writeFileSync(message.file, output);
      send(answer);
    } catch (error) {
      send({ error: String(error.message ?? error) });
    }
  }
} catch (error) {
  send({ absent: String(error.message ?? error) });
}
process.exit();
