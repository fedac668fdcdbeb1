// What a page downloads, and whether that is as little as promised.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { filesOf } from "./javascript.mjs";

const KILOBYTE = 1024;
const MOST_WASM = 132;
const MOST_JAVASCRIPT = 16;
// Fetched by a page with threads, once for each thread but the first.
const THREAD = "pool-thread.js";

export async function reportSizes(output) {
  const compressed = async (name) =>
    gzipSync(await readFile(join(output, name)), { level: 9 }).length;
  const line = (name, bytes) => {
    console.log(`  ${name.padEnd(24)} ${(bytes / KILOBYTE).toFixed(1).padStart(6)} KB gzip`);
  };

  const simd128 = await compressed("qkv.simd128.wasm");
  let javascript = 0;
  for (const name of await filesOf(output, ".js")) {
    if (name !== THREAD) javascript += await compressed(name);
  }
  line("qkv.simd128.wasm", simd128);
  line("qkv.relaxed.wasm", await compressed("qkv.relaxed.wasm"));
  line("all JavaScript", javascript);
  console.log("  with threads:");
  for (const name of ["qkv.simd128.threads.wasm", "qkv.relaxed.threads.wasm", THREAD]) {
    line(name, await compressed(name));
  }
  if (simd128 >= MOST_WASM * KILOBYTE) {
    throw new Error(`qkv.simd128.wasm is to be below ${MOST_WASM} KB gzip.`);
  }
  if (javascript >= MOST_JAVASCRIPT * KILOBYTE) {
    throw new Error(`The JavaScript without threads is to be below ${MOST_JAVASCRIPT} KB gzip.`);
  }
}
