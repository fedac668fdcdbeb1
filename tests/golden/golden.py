"""Writes golden files: cases with arguments, options and the numbers that must come out.

The format is described in README.md beside this file. Every generator makes one `Golden`, adds
cases to it and saves it. Nothing here computes anything that is tested.
"""

import importlib.metadata
import json
import math
import pathlib
import platform
import subprocess
import zlib

import numpy as np
import torch

FOLDER = pathlib.Path(__file__).resolve().parent
DIGITS = 9  # enough to name every float32 exactly
TOLERANCE = {"relative": 1e-6, "absolute": 1e-6}


def numbers(name):
    """A random stream of its own for each case, so that adding a case changes no other."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def grid(rng, *shape, step=8, limit=1.0):
    """Multiples of 1/step in [-limit, limit]: exact in float32 and short in the file."""
    top = int(limit * step)
    return rng.integers(-top, top, size=shape, endpoint=True) / step


def uniform(rng, *shape):
    """Full-length float32 numbers in [-1, 1)."""
    return rng.uniform(-1, 1, size=shape).astype(np.float32).astype(np.float64)


def number(value):
    """One number as JSON can hold it: 9 significant digits, whole numbers exactly."""
    value = float(value)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == int(value) and abs(value) < 2**53:
        return int(value)
    return float(f"{value:.{DIGITS}g}")


def tensor(values):
    """{ shape, data } with row-major data."""
    array = np.asarray(values.detach() if isinstance(values, torch.Tensor) else values, np.float64)
    return {"shape": list(array.shape), "data": [number(x) for x in array.reshape(-1)]}


def encode(value):
    """Arrays and torch tensors become { shape, data }; everything else stays as it is."""
    if isinstance(value, (np.ndarray, torch.Tensor)):
        if value.dtype in (np.bool_, torch.bool):
            return value.tolist()  # boolean matrices are nested arrays, as a user writes them
        return tensor(value)
    if isinstance(value, dict):
        return {name: encode(entry) for name, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [encode(entry) for entry in value]
    if isinstance(value, (np.floating, float)):
        return number(value)
    if isinstance(value, np.integer):
        return int(value)
    return value


def versions(*packages):
    found = {"python": platform.python_version(), "numpy": np.__version__}
    for package in packages:
        found[package] = torch.__version__ if package == "torch" else (
            importlib.metadata.version(package))
    if "torch" in packages and "dist-packages" in torch.__file__:
        query = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "python3-torch"],
                               capture_output=True, text=True, check=True)
        found["torch"] += f" (Debian python3-torch {query.stdout})"
    return found


class Golden:
    """One golden file in the making."""

    def __init__(self, topic, packages=("torch",)):
        self.path = FOLDER / f"{topic}.json"
        self.source = {"generator": f"tests/golden/generate_{topic}.py", **versions(*packages)}
        self.cases = []

    def add(self, name, operation, arguments, options=None, *, expected=None, error=None,
            tolerance=None, note):
        """Adds a case. `options` is None for an operation that takes none."""
        assert (expected is None) != (error is None), name
        assert all(case["name"] != name for case in self.cases), f"two cases named {name}"
        case = {"name": name, "operation": operation, "arguments": encode(arguments)}
        if options is not None:
            case["options"] = encode(options)
        if expected is not None:
            case["expected"] = encode(expected)
            case["tolerance"] = tolerance or TOLERANCE
        else:
            case["error"] = error
        case["note"] = note
        self.cases.append(case)

    def save(self):
        """One line for each entry of a case: small files whose differences can be read."""
        def line(value):
            return json.dumps(value, allow_nan=False, separators=(",", ":"))

        def block(case):
            entries = ",\n".join(f'   "{name}":{line(entry)}' for name, entry in case.items())
            return "  {\n" + entries + "\n  }"

        text = ('{\n "format": "qkv-golden",\n "version": 1,\n'
                f' "source": {json.dumps(self.source)},\n "cases": [\n'
                + ",\n".join(block(case) for case in self.cases) + "\n ]\n}\n")
        self.path.write_text(text)
        check(self.path)
        print(f"{self.path.name}: {len(self.cases)} cases, {len(text) / 1000:.1f} kB")


def check(path):
    """Loads a file back: every tensor holds as many numbers as its shape says, none is odd."""
    def walk(value, where):
        if isinstance(value, dict):
            if "shape" in value and "data" in value:
                if "strides" in value:
                    reach = sum((n - 1) * s for n, s in zip(value["shape"], value["strides"]))
                    assert reach < len(value["data"]), where
                else:
                    assert math.prod(value["shape"]) == len(value["data"]), where
                for entry in value["data"]:
                    assert isinstance(entry, (int, float)) or (
                        entry in ("NaN", "Infinity", "-Infinity")), (where, entry)
            for name, entry in value.items():
                walk(entry, f"{where}.{name}")
        elif isinstance(value, list):
            for index, entry in enumerate(value):
                walk(entry, f"{where}[{index}]")

    golden = json.loads(path.read_text())
    assert golden["format"] == "qkv-golden" and golden["version"] == 1
    for case in golden["cases"]:
        assert ("expected" in case) != ("error" in case), case["name"]
        walk(case, case["name"])
