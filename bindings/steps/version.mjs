// The version stands in CMakeLists.txt; what npm reads is written from there.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

export async function readVersion(top) {
  const text = await readFile(join(top, "CMakeLists.txt"), "utf8");
  const version = /project\(\s*qkv\s+VERSION\s+(\d+\.\d+\.\d+)/i.exec(text)?.[1];
  if (version === undefined)
    throw new Error("CMakeLists.txt has no project(qkv VERSION x.y.z ...).");
  return version;
}

export async function writeVersion(top, version) {
  await edit(join(top, "package.json"), (manifest) => {
    manifest.version = version;
  });
  await edit(join(top, "package-lock.json"), (lock) => {
    lock.version = version;
    lock.packages[""].version = version;
  });
}

// Writes only what changed: a newer lock file would mean that packages have to be installed again.
async function edit(file, change) {
  const before = await readFile(file, "utf8");
  const content = JSON.parse(before);
  change(content);
  const after = `${JSON.stringify(content, null, 2)}\n`;
  if (after !== before) await writeFile(file, after);
}
