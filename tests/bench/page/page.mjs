// A contender in a page of its own; see pages.mjs for the other side. Outputs travel as base64.
import { Host } from "../contenders/host.mjs";

let host;

globalThis.startContender = async (module, options) => {
  try {
    host = await Host.start(module, options);
    return host.info;
  } catch (error) {
    return { absent: String(error?.message ?? error) };
  }
};

globalThis.answer = async (message) => {
  try {
    const { output, ...answer } = await host.answer(message);
    return output ? { ...answer, output: base64(output) } : answer;
  } catch (error) {
    return { error: String(error?.message ?? error) };
  }
};

function base64(floats) {
  const bytes = new Uint8Array(floats.buffer, floats.byteOffset, floats.byteLength);
  const parts = [];
  for (let at = 0; at < bytes.length; at += 0x8000) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + 0x8000)));
  }
  return btoa(parts.join(""));
}
