// What is said wherever something is measured on the reader's machine.
export const measuring = {
  measure: "Measure on this machine",
  stop: "Stop",
  progress: "Measuring",
  starting: "Starting…",
  about: (seconds: number) => `Takes about ${seconds === 1 ? "a second" : `${seconds} seconds`}.`,
  doing: (percent: number, what: string) => `${percent} %: ${what}`,
  finished: "Measured.",
  stopped: "Stopped. What had been measured by then is shown.",
  stoppedEarly: "Stopped before the first result.",
  failed: "It could not be measured. The reason given:",
  refused: "Some of it could not be measured. The reason given:",
  none: "not measured",
  milliseconds: (value: string) => `${value} ms`,
  time: "time of one call",
  chartHint:
    "Left and right arrow keys go along the sizes, up and down to the next curve, Escape leaves.",
};
