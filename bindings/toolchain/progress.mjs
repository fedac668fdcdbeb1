// One short line for each thing that takes time, with the seconds it took. Progress goes to
// standard error: standard output belongs to the result of a command (see `setup.mjs --env`).

// The step whose line is still without its end.
let unfinished = null;

function startLine(text) {
  if (unfinished) process.stderr.write("\n");
  unfinished = null;
  process.stderr.write(`qkv set-up: ${text}`);
}

function finishLine(title, text) {
  // Another line was written in between: say again what this is about.
  if (unfinished !== title) startLine(`${title} ... `);
  process.stderr.write(`${text}\n`);
  unfinished = null;
}

export async function step(title, action) {
  const start = performance.now();
  const seconds = () => `${((performance.now() - start) / 1000).toFixed(1)} s`;
  startLine(`${title} ... `);
  unfinished = title;
  try {
    const result = await action();
    finishLine(title, seconds());
    return result;
  } catch (error) {
    finishLine(title, `failed after ${seconds()}`);
    throw error;
  }
}

export function note(text) {
  startLine(`${text}\n`);
}
