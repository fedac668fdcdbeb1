// Starts a contender: gives its connection, or throws the reason why it cannot take part.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { CONTENDERS_FOLDER } from "./contenders.mjs";
import { providePeer } from "./peers.mjs";
import { ChildConnection } from "./processes.mjs";

// Node 20 knows relaxed SIMD only when told to; later versions always.
const RELAXED =
  Number(process.versions.node.split(".")[0]) < 21 ? ["--experimental-wasm-relaxed-simd"] : [];

export async function open(contender) {
  const options = { ...contender.options };
  if (contender.peer) {
    const { folder, absent } = await providePeer(contender.peer);
    if (absent) throw new Error(absent);
    options.module = pathToFileURL(join(folder, contender.peer, options.entry)).href;
  }
  const connection = await ChildConnection.open(commandOf(contender, options));
  if (connection.info.absent) {
    connection.close();
    throw new Error(connection.info.absent);
  }
  return connection;
}

function commandOf({ command, module }, options) {
  if (command) return command;
  const host = join(CONTENDERS_FOLDER, "node.mjs");
  return [process.execPath, ...RELAXED, host, `./${module}`, JSON.stringify(options)];
}
