// A Python that has PyTorch: a private one on PATH may hide the system's.
import { run } from "../../bindings/toolchain/processes.mjs";

const CANDIDATES = ["python3", "/usr/bin/python3"];

export async function findTorch() {
  for (const python of CANDIDATES) {
    try {
      await run(python, ["-c", "import torch"]);
      return python;
    } catch {
      // Not this one.
    }
  }
  throw new Error("no python3 with torch was found");
}
