// Folders that are made once, completely or not at all, and then kept in the cache folder.
import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "./cache-folder.mjs";
import { withLock } from "./lock.mjs";

const PARTIAL = ".partial";

function findCached(name) {
  const folder = join(cacheFolder(), name);
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? folder : null;
}

// What an interrupted set-up left behind; with a few tries, since a program that it had started may
// still be about to end.
function removePartial() {
  for (const entry of readdirSync(cacheFolder())) {
    if (!entry.endsWith(PARTIAL)) continue;
    rmSync(join(cacheFolder(), entry), { recursive: true, force: true, maxRetries: 5 });
  }
}

// The cached folder `name`. If it is not there, `fill(folder)` writes its files under another name;
// the folder gets its own in one step after the last of them, so that having it means being
// complete. What is written may not depend on where the folder lies.
export async function provideCached(name, fill) {
  const found = findCached(name);
  if (found) return found;
  return withLock(async () => {
    const filledMeanwhile = findCached(name);
    if (filledMeanwhile) return filledMeanwhile;
    removePartial();
    const final = join(cacheFolder(), name);
    const partial = final + PARTIAL;
    mkdirSync(partial);
    await fill(partial);
    renameSync(partial, final);
    return final;
  });
}
