// The npm package as its users get it: packed, and installed into a folder with nothing else.
import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FIXTURES, temporaryFolder, TOP } from "./folders.js";
import { run } from "./processes.js";

export interface Tarball {
  readonly path: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly string[];
}

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

export async function pack(): Promise<Tarball> {
  const folder = await temporaryFolder();
  const args = ["pack", "--json", "--pack-destination", folder];
  const [packed] = JSON.parse(await run("npm", args, { cwd: TOP })) as [Packed];
  return {
    ...packed,
    path: join(folder, packed.filename),
    files: packed.files.map(({ path }) => path),
  };
}

/** A copy of the fixture in a folder of its own, with the package installed and nothing else. */
export async function installInto(fixture: string, tarball: Tarball): Promise<string> {
  const folder = await temporaryFolder();
  await cp(join(FIXTURES, fixture), folder, { recursive: true });
  await writeFile(join(folder, "package.json"), '{ "private": true }\n');
  // Offline, as proof that the package brings no dependency.
  const args = ["install", tarball.path, "--offline", "--no-audit", "--no-fund"];
  await run("npm", args, { cwd: folder });
  return folder;
}
