// Where things are, and folders for what the tests make.
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";

export const TOP = fileURLToPath(new URL("../../..", import.meta.url));
export const DIST = join(TOP, "dist");
export const FIXTURES = fileURLToPath(new URL("../fixtures", import.meta.url));

const made: string[] = [];

/** An empty folder outside of the repository, removed after the tests of the file. */
export async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "qkv-package-")));
  made.push(folder);
  return folder;
}

afterAll(async () => {
  for (const folder of made) await rm(folder, { recursive: true, force: true });
});
