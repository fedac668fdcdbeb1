"""Multi-head attention from parameters, in torch: project, split, attend, join, project."""

import torch
import torch.nn.functional as F

from reference import attention, convert

PARTS = ("q", "k", "v", "out")


def canonical(state):
    """q_proj, k_proj, v_proj and out_proj from any of the families of parameter names."""
    state = dict(state)
    for kind in ("weight", "bias"):
        stacked = state.pop(f"in_proj_{kind}", None)
        if stacked is not None:  # torch.nn.MultiheadAttention: three matrices, one on another
            third = len(stacked) // 3
            for index, part in enumerate("qkv"):
                state[f"{part}_proj.{kind}"] = stacked[index * third:(index + 1) * third]
    renamed = {"q_proj_weight": "q_proj.weight", "k_proj_weight": "k_proj.weight",
               "v_proj_weight": "v_proj.weight"}
    for kind in ("weight", "bias"):
        for part, bert, letter in zip(PARTS, ("query", "key", "value", "output.dense"), "qkvo"):
            renamed[f"{bert}.{kind}"] = renamed[f"W_{letter}.{kind}"] = f"{part}_proj.{kind}"
    found = {renamed.get(name, name): entry for name, entry in state.items()}
    known = {f"{part}_proj.{kind}" for part in PARTS for kind in ("weight", "bias")}
    assert set(found) <= known, set(found) - known
    return found


def formula(state, query, key, value, *, heads, kv_heads=None, dtype=torch.float64, **options):
    """Output and weights [B, H, Lq, Lk], as torch tensors. `options` are those of `attention`."""
    def project(x, part):
        bias = state.get(f"{part}_proj.bias")
        return F.linear(convert(x, dtype), convert(state[f"{part}_proj.weight"], dtype),
                        None if bias is None else convert(bias, dtype))

    def split(x, count):
        return x.unflatten(-1, (count, x.shape[-1] // count)).transpose(-2, -3)

    kv_heads = kv_heads or heads
    mixed = attention(split(project(query, "q"), heads), split(project(key, "k"), kv_heads),
                      split(project(value, "v"), kv_heads), dtype=dtype, **options)
    joined = mixed["output"].transpose(-2, -3).flatten(-2)
    return project(joined, "out"), mixed["weights"]
