import { spawn } from "node:child_process";

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Surroundings {
  readonly cwd?: string;
  /** Added to this process's own variables. */
  readonly env?: Record<string, string>;
}

/** Runs a program to its end, however it ends. */
export function attempt(
  command: string,
  args: readonly string[],
  { cwd, env }: Surroundings = {},
): Promise<Ended> {
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    ...(cwd !== undefined && { cwd }),
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}

/** Runs a program that has to succeed, and gives what it printed. */
export async function run(
  command: string,
  args: readonly string[],
  surroundings: Surroundings = {},
): Promise<string> {
  const { code, stdout, stderr } = await attempt(command, args, surroundings);
  if (code !== 0) {
    throw new Error(`${[command, ...args].join(" ")} ended with ${code}:\n${stdout}${stderr}`);
  }
  return stdout;
}
