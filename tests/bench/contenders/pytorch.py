"""PyTorch, as a contender: pytorch.py THREADS. Answers the messages that host.mjs describes, one
line of JSON each, on the same numbers as numbers.mjs."""

import json
import math
import os
import sys
import time

import numpy
import torch
import torch.nn.functional as F

SEEDS = {"query": 1, "key": 2, "value": 3, "bias": 4}
LAYER_SEED, LAYER_SCALE = 5, 1 / 16


def numbers(shape, seed, scale=2.0):
    with numpy.errstate(over="ignore"):
        bits = numpy.arange(1, math.prod(shape) + 1, dtype=numpy.uint32) * numpy.uint32(0x9E3779B1)
        bits ^= numpy.uint32(seed) * numpy.uint32(0x85EBCA6B)
        bits = (bits ^ (bits >> 15)) * numpy.uint32(0x2C1B3C6D)
        bits = (bits ^ (bits >> 12)) * numpy.uint32(0x297A2D39)
        bits ^= bits >> 15
    floats = ((bits >> 8).astype(numpy.float32) / numpy.float32(2**23) - 1) * numpy.float32(scale)
    return torch.from_numpy(floats.reshape(shape))


def addend(shape):
    """The bias, or the mask as numbers to be added; None where there is neither."""
    if "bias" in shape:
        return numbers(shape["bias"], SEEDS["bias"])
    mask = shape.get("mask")
    if mask is None:
        return None
    queries, keys = torch.arange(shape["query"][-2]), torch.arange(shape["key"][-2])
    if mask["kind"] == "causal":
        allowed = keys <= queries[:, None] + mask["offset"]
    else:
        allowed = (keys < torch.tensor(mask["key"])[:, None])[:, None, None]
    return torch.zeros(allowed.shape).masked_fill(~allowed, -math.inf)


def products(query, key, value, added):
    scores = torch.matmul(query * query.shape[-1] ** -0.5, key.transpose(-2, -1))
    if added is not None:
        scores += added
    return torch.matmul(torch.softmax(scores, -1), value)


def batched(query, key, value, added):
    """The scale and the addition inside of the product, for which all leading axes become one."""
    flat = [x.reshape(-1, *x.shape[-2:]) for x in (query, key, value)]
    shape = (*query.shape[:-1], key.shape[-2])
    start = torch.zeros(()) if added is None else added.expand(shape).reshape(-1, *shape[-2:])
    scale = query.shape[-1] ** -0.5
    scores = torch.baddbmm(start, flat[0], flat[1].transpose(-2, -1), alpha=scale)
    return torch.bmm(torch.softmax(scores, -1), flat[2]).view(query.shape)


def fused(query, key, value, added):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=added)


FORMULATIONS = {"matmul, softmax, matmul": products, "baddbmm, softmax, bmm": batched}
if hasattr(F, "scaled_dot_product_attention"):
    FORMULATIONS["scaled_dot_product_attention"] = fused


def prepare_attention(shape, attend):
    query, key, value = (numbers(shape[name], SEEDS[name]) for name in ("query", "key", "value"))
    if key.shape[:-2] != query.shape[:-2]:  # queries that share keys become rows of one product
        query = query.reshape(*key.shape[:-2], -1, query.shape[-1])
    added = addend(shape)
    return lambda: attend(query, key, value, added)


def prepare_layer(shape, attend):
    embed, heads = shape["layer"]["embed"], shape["layer"]["heads"]
    x = numbers(shape["query"], SEEDS["query"])
    projections = [
        (numbers((embed, embed), seed, LAYER_SCALE), numbers((embed,), seed + 1, LAYER_SCALE))
        for seed in range(LAYER_SEED, LAYER_SEED + 8, 2)
    ]

    def split(projection):
        return F.linear(x, *projection).unflatten(-1, (heads, -1)).transpose(1, 2)

    def run():
        mixed = attend(*map(split, projections[:3]), None)
        return F.linear(mixed.transpose(1, 2).flatten(2), *projections[3])

    return run


class Contender:
    def __init__(self):
        self.works = {}  # name of a shape: [function, estimate in milliseconds, last output]

    def timed(self, work, calls):
        start = time.perf_counter()
        for _ in range(calls):
            work[2] = work[0]()
        return (time.perf_counter() - start) * 1000

    def formulations(self, shape, **_):
        return {"formulations": list(FORMULATIONS)}

    def prepare(self, shape, formulation, **_):
        make = prepare_layer if "layer" in shape else prepare_attention
        work = [make(shape, FORMULATIONS[formulation]), 0, None]
        self.works[shape["name"]] = work
        work[1] = self.timed(work, 1)
        return {"firstMs": work[1]}

    def warm(self, name, milliseconds, **_):
        work, spent = self.works[name], 0
        while True:
            work[1] = self.timed(work, 1)
            spent += work[1]
            if spent >= milliseconds:
                return {"ms": work[1]}

    def sample(self, name, milliseconds, **_):
        work = self.works[name]
        if work[1] < milliseconds:
            self.timed(work, 1)
        calls = max(1, round(milliseconds / work[1]))
        work[1] = self.timed(work, calls) / calls
        return {"ms": work[1], "calls": calls}

    def output(self, name, file, **_):
        self.works[name][2].contiguous().numpy().tofile(file)
        return {}

    def release(self, name, **_):
        self.works.pop(name, None)
        return {}


def send(answer):
    print(json.dumps(answer), flush=True)


def version():
    """PyTorch's, and the library of its matrix products, on which its speed depends most."""
    if not os.path.exists("/proc/self/maps"):
        return torch.__version__
    with open("/proc/self/maps") as maps:
        files = {os.path.realpath(line.split()[-1]) for line in maps if "/" in line}
    files = {os.path.basename(file) for file in files}
    products = sorted(file for file in files if "blas" in file or "mkl_rt" in file)
    return ", ".join([torch.__version__, *products])


def main():
    torch.set_num_threads(int(sys.argv[1]))
    contender = Contender()
    send({"threads": torch.get_num_threads(), "version": version()})
    with torch.inference_mode():
        for line in sys.stdin:
            message = json.loads(line)
            try:
                send(getattr(contender, message.pop("do"))(**message))
            except Exception as error:
                send({"error": str(error)})


main()
