// What a page downloads, and whether that is as little as promised.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { filesOf } from "./javascript.mjs";

const KILOBYTE = 1024;
const MOST_WASM = 60;
const MOST_JAVASCRIPT = 15;

export async function reportSizes(output) {
  const compressed = async (name) =>
    gzipSync(await readFile(join(output, name)), { level: 9 }).length;
  const line = (name, bytes) => {
    console.log(`  ${name.padEnd(20)} ${(bytes / KILOBYTE).toFixed(1).padStart(6)} KB gzip`);
  };

  const simd128 = await compressed("qkv.simd128.wasm");
  let javascript = 0;
  for (const name of await filesOf(output, ".js")) javascript += await compressed(name);
  line("qkv.simd128.wasm", simd128);
  line("qkv.relaxed.wasm", await compressed("qkv.relaxed.wasm"));
  line("all JavaScript", javascript);
  if (simd128 >= MOST_WASM * KILOBYTE) {
    throw new Error(`qkv.simd128.wasm is to be below ${MOST_WASM} KB gzip.`);
  }
  if (javascript >= MOST_JAVASCRIPT * KILOBYTE) {
    throw new Error(`All JavaScript is to be below ${MOST_JAVASCRIPT} KB gzip.`);
  }
}
