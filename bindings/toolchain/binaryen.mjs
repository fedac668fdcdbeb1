// Binaryen's programs were linked against a newer C library than this machine has. They are started
// through that library's own loader, which lies in the same prefix; nothing else ever sees it.
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SetUpError } from "./errors.mjs";

const PROGRAMS = "usr/lib/qkv-binaryen";

// A script beside the others in usr/bin; it finds its way from there, wherever the prefix lies.
function script(name, loader, libraries) {
  return `#!/bin/sh
prefix="\${0%/*}/../.."
exec "$prefix/${loader}" --library-path "$prefix/${libraries}" "$prefix/${PROGRAMS}/${name}" "$@"
`;
}

export function wrapBinaryen(prefix, { loader, triplet }) {
  const places = ["usr/lib64", "usr/lib"].map((folder) => join(folder, loader));
  const loaderPath = places.find((path) => existsSync(join(prefix, path)));
  if (!loaderPath) throw new SetUpError(`The unpacked libc6 has no ${loader}.`);
  mkdirSync(join(prefix, PROGRAMS), { recursive: true });
  for (const name of readdirSync(join(prefix, "usr/bin"))) {
    if (!/^wasm[-2]/.test(name)) continue; // Emscripten's commands lie here too
    renameSync(join(prefix, "usr/bin", name), join(prefix, PROGRAMS, name));
    const text = script(name, loaderPath, join("usr/lib", triplet));
    writeFileSync(join(prefix, "usr/bin", name), text, { mode: 0o755 });
  }
}
