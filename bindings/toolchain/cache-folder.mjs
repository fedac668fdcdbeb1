// The folder that outlives a clone: what is fetched there once serves every clone of one user.
import { homedir } from "node:os";
import { join } from "node:path";

export function cacheFolder() {
  // The XDG rules say that a relative path is to be ignored.
  const configured = process.env.XDG_CACHE_HOME ?? "";
  const base = configured.startsWith("/") ? configured : join(homedir(), ".cache");
  return join(base, "qkv", "toolchain");
}
