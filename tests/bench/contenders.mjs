// Who takes part. Each entry:
//   name, threads   what results call it
//   host            "native", "node", "chromium" or "python": what its process is
//   module          of contenders/, for Node and the page; with `options` for its start()
//   peer            the package it needs, of peers.mjs
//   family          contenders for which the same formulation is the fastest
//   takes(shape)    whether it measures this shape
import { fileURLToPath } from "node:url";

const path = (name) => fileURLToPath(new URL(name, import.meta.url));

const attends = (shape) => !shape.probe;
const whole = (shape) => attends(shape) && !shape.arrays;
const compared = (shape) => whole(shape) && !shape.ours;

export function contenders({ native, peak }) {
  const list = [];
  const add = (contender) => list.push({ family: contender.name, ...contender });

  for (const threads of [1, 2]) {
    add({ name: "qkv native", threads, host: "native", command: [native, String(threads)], takes: whole });
  }
  for (const threads of [1, 2]) {
    for (const variant of ["simd128", "relaxed"]) {
      add({
        name: `qkv wasm ${variant}`,
        threads,
        host: "node",
        module: "qkv-wasm.mjs",
        options: { module: "qkv", variant, threads },
        takes: attends,
      });
    }
  }
  for (const threads of [1, 2]) {
    add({
      name: "onnxruntime-node",
      threads,
      host: "node",
      peer: "onnxruntime-node",
      module: "onnxruntime.mjs",
      options: { entry: "dist/index.js", threads, web: false },
      takes: compared,
    });
  }
  for (const threads of [1, 2]) {
    add({
      name: "onnxruntime-web",
      threads,
      host: "node",
      peer: "onnxruntime-web",
      module: "onnxruntime.mjs",
      options: { entry: "dist/ort.node.min.mjs", threads, web: true },
      takes: compared,
    });
  }
  add({
    name: "machine native",
    threads: 1,
    host: "native",
    command: [native, "1"],
    takes: (shape) => Boolean(shape.probe),
  });
  for (const variant of ["simd128", "relaxed"]) {
    add({
      name: `machine wasm ${variant}`,
      threads: 1,
      host: "node",
      module: "peak-wasm.mjs",
      options: { file: peak[variant] },
      takes: (shape) => shape.probe === "fma",
    });
  }
  return list;
}

export const idOf = ({ name, threads }) => `${name} x${threads}`;
export const CONTENDERS_FOLDER = path("contenders/");
