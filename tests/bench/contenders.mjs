// Who takes part. Each entry:
//   name, threads   what results call it
//   host            what its process is: "native", "node", "chromium" or "python"
//   command         of a native one
//   module          its file in contenders/, with `options` for its start()
//   library         { node, page }: where qkv is, or
//   peer            { name, entry }: the package it needs, of peers.mjs, and the file to import
//   family          contenders for which the same formulation is the fastest, with as many threads
//   takes(shape)    whether it measures this shape
import { fileURLToPath } from "node:url";

export const CONTENDERS_FOLDER = fileURLToPath(new URL("contenders/", import.meta.url));
export const idOf = ({ name, threads }) => `${name} x${threads}`;

const PACKAGE = { node: "qkv", page: "/dist/index.js" };
const VARIANTS = ["simd128", "relaxed"];

const calls = (shape) => !shape.probe;
const views = (shape) => calls(shape) && !shape.arrays;
const comparable = (shape) => views(shape) && !shape.ours;

export function contenders({ native, peak }) {
  return [
    ...[1, 2].map((threads) => qkvNative(native, threads)),
    ...["node", "chromium"].flatMap((host) =>
      [1, 2].flatMap((threads) => VARIANTS.map((variant) => qkvWasm(host, variant, threads))),
    ),
    ...[1, 2].map((threads) => onnxruntimeNode(threads)),
    ...["node", "chromium"].flatMap((host) =>
      [1, 2].map((threads) => onnxruntimeWeb(host, threads)),
    ),
    tfjs(),
    ...[1, 2].map((threads) => pytorch(threads)),
    machineNative(native),
    ...VARIANTS.map((variant) => machineWasm(variant, peak[variant])),
  ];
}

const named = (name, host) => (host === "chromium" ? `${name}, Chromium` : name);

function qkvNative(native, threads) {
  const name = "qkv native";
  const command = [native, String(threads)];
  return { name, threads, host: "native", command, family: name, takes: views };
}

function qkvWasm(host, variant, threads) {
  const name = named(`qkv wasm ${variant}`, host);
  return {
    name,
    threads,
    host,
    module: "qkv-wasm.mjs",
    library: PACKAGE,
    options: { variant, threads },
    family: "qkv wasm",
    takes: calls,
  };
}

function onnxruntimeNode(threads) {
  const name = "onnxruntime-node";
  return {
    name,
    threads,
    host: "node",
    module: "onnxruntime.mjs",
    peer: { name, entry: "onnxruntime-node/dist/index.js" },
    options: { threads, web: false },
    family: name,
    takes: comparable,
  };
}

function onnxruntimeWeb(host, threads) {
  const name = "onnxruntime-web";
  // The builds for the CPU alone; others can use a graphics processor.
  const file = host === "chromium" ? "ort.wasm.min.mjs" : "ort.node.min.mjs";
  return {
    name: named(name, host),
    threads,
    host,
    module: "onnxruntime.mjs",
    peer: { name, entry: `${name}/dist/${file}` },
    options: { threads, web: true },
    family: name,
    takes: comparable,
  };
}

// In Node it has one thread.
function tfjs() {
  const name = "tfjs wasm";
  return {
    name,
    threads: 1,
    host: "node",
    module: "tfjs.mjs",
    peer: { name: "tfjs", entry: "@tensorflow/tfjs-backend-wasm/dist/tf-backend-wasm.node.js" },
    options: {},
    family: name,
    takes: comparable,
  };
}

function pytorch(threads) {
  const name = "PyTorch";
  return {
    name,
    threads,
    host: "python",
    module: "pytorch.py",
    options: { threads },
    family: name,
    takes: comparable,
  };
}

function machineNative(native) {
  const name = "machine native";
  return {
    name,
    threads: 1,
    host: "native",
    command: [native, "1"],
    family: name,
    takes: (shape) => Boolean(shape.probe),
  };
}

function machineWasm(variant, file) {
  const name = `machine wasm ${variant}`;
  return {
    name,
    threads: 1,
    host: "node",
    module: "peak-wasm.mjs",
    options: { file },
    family: name,
    takes: (shape) => shape.probe === "fma",
  };
}
