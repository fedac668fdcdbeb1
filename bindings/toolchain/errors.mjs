// An error whose message is written for the person who typed the command: callers print the message
// alone, without a stack trace, and leave with exit code 1.
export class SetUpError extends Error {
  name = "SetUpError";
}
