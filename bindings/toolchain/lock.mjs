// One set-up at a time for one user: a second one waits for the first instead of writing into the
// same folders. The lock is a folder, because making a folder either succeeds or fails as a whole.
import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { cacheFolder } from "./cache-folder.mjs";
import { note } from "./progress.mjs";

const POLL_MS = 200;
// The owner renews the lock's time while it works. Silence for this long means that it is gone,
// which the process id alone cannot tell: ids are used again, and a cache folder may be shared by
// machines.
const BEAT_MS = 2_000;
const SILENT_MS = 60_000;
// Removing the lock of an ended process takes microseconds, so that a remover seen for this long is
// gone.
const REMOVAL_MS = 10_000;

function ageOf(path) {
  const status = statSync(path, { throwIfNoEntry: false });
  return status ? Date.now() - status.mtimeMs : 0;
}

function makeFolder(path) {
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

const removeFolder = (path) => rmSync(path, { recursive: true, force: true });

function hasEnded(pid) {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === "ESRCH";
  }
}

function isStale(lock) {
  if (ageOf(lock) > SILENT_MS) return true;
  try {
    const owner = JSON.parse(readFileSync(join(lock, "owner.json"), "utf8"));
    return owner.host === hostname() && hasEnded(owner.pid);
  } catch {
    return false; // just made, and its owner not written yet
  }
}

// Two waiters may see the same stale lock. Only one at a time may remove it, and it looks again
// first: otherwise the slower one would remove the lock that the faster one has just taken.
function removeStale(lock) {
  const removal = `${lock}.removal`;
  if (!makeFolder(removal)) {
    if (ageOf(removal) > REMOVAL_MS) removeFolder(removal);
    return;
  }
  if (isStale(lock)) removeFolder(lock);
  removeFolder(removal);
}

export async function withLock(action) {
  const lock = join(cacheFolder(), "lock");
  mkdirSync(cacheFolder(), { recursive: true });
  for (let noted = false; !makeFolder(lock); await sleep(POLL_MS)) {
    if (isStale(lock)) {
      removeStale(lock);
    } else if (!noted) {
      note("another set-up is running, waiting for it");
      noted = true;
    }
  }
  const beat = setInterval(() => utimesSync(lock, new Date(), new Date()), BEAT_MS).unref();
  try {
    writeFileSync(join(lock, "owner.json"), JSON.stringify({ pid: process.pid, host: hostname() }));
    return await action();
  } finally {
    clearInterval(beat);
    removeFolder(lock);
  }
}
