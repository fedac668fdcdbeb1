"""fewer_keys.json: Linformer, and keys compressed by a convolution."""

import math

import numpy as np
import torch
import torch.nn.functional as F
from linformer.linformer import LinformerSelfAttention
from memory_compressed_attention import MemoryCompressedAttention

from agreement import add_agreed
from golden import Golden, grid, numbers
from reference import attention, convert

golden = Golden("fewer_keys", ("torch", "linformer", "memory-compressed-attention"))
torch.set_grad_enabled(False)


def selecting(layer, part, width, scale=1.0):
    """Makes a linear layer pick one of several parts of `width` features that lie side by side."""
    layer.weight.zero_()
    rows = torch.arange(width)
    layer.weight[rows, part * width + rows] = scale


def side_by_side(*tensors):
    """[B, H, L, D] each to [B, L, parts H D]."""
    return torch.cat([convert(x, torch.float64).transpose(1, 2).flatten(2) for x in tensors], -1)


def heads_apart(output, heads, width):
    return output[..., :heads * width].unflatten(-1, (heads, width)).transpose(1, 2)


def as_four(x):
    return x[(None,) * (4 - x.ndim)]


# Linformer.
def lucidrains_linformer(query, key, value, key_projection, value_projection):
    """Their layer takes queries from one sequence and keys and values from another."""
    shape = query.shape
    query, key, value = (as_four(x) for x in (query, key, value))
    heads, width = query.shape[1], query.shape[-1]
    layer = LinformerSelfAttention(3 * heads * width, key.shape[2], k=len(key_projection),
                                   heads=heads, dim_head=width).double().eval()
    for part, linear in enumerate((layer.to_q, layer.to_k, layer.to_v)):
        selecting(linear, part, heads * width)
    layer.to_out.weight.copy_(torch.eye(3 * heads * width, heads * width))
    layer.to_out.bias.zero_()
    layer.proj_k.copy_(convert(key_projection, torch.float64).T)
    layer.proj_v.copy_(convert(value_projection, torch.float64).T)
    zeros = np.zeros_like(query)
    output = layer(side_by_side(query, zeros, zeros),
                   context=side_by_side(np.zeros_like(key), key, value))
    return heads_apart(output, heads, width).reshape(shape)


def linformer(name, leading, query_length, key_length, kept, width, *, value_width=None,
              shared=False, per_head=False, identity=False, theirs=True):
    rng = numbers(name)
    query = grid(rng, *leading, query_length, width)
    key = grid(rng, *leading, key_length, width)
    value = grid(rng, *leading, key_length, value_width or width)
    own = leading[-1:] if per_head else ()
    key_projection = np.eye(kept) if identity else grid(rng, *own, kept, key_length)
    value_projection = key_projection if shared or identity else grid(rng, *own, kept, key_length)
    options = {"keyProjection": key_projection}
    if not shared:
        options["valueProjection"] = value_projection

    def define(number):
        e, f = number(key_projection), number(value_projection)
        return {"output": attention(query, e @ number(key), f @ number(value),
                                    dtype=e.dtype)["output"]}

    add_agreed(golden, name, "linformer", [query, key, value], options, define=define,
               theirs={"output": lucidrains_linformer(query, key, value, key_projection,
                                                      value_projection)} if theirs else None,
               note="The package linformer in float64, its own projections set to pick q, k and v."
               if theirs else "float64 torch operations; the package has no such option.")


linformer("linformer: 2 keys for 6", (), 6, 6, 2, 4)
linformer("linformer: one projection for both", (), 5, 5, 3, 4, shared=True)
linformer("linformer: one key", (), 4, 7, 1, 3)
linformer("linformer: identity is exact attention", (), 5, 5, 5, 4, identity=True)
linformer("linformer: 2 heads", (2,), 7, 7, 3, 4)
linformer("linformer: batch of 2, 2 heads, other lengths", (2, 2), 3, 9, 4, 4)
linformer("linformer: more keys than there were", (), 4, 3, 6, 5)
linformer("linformer: a projection for each head", (2,), 5, 6, 3, 4, per_head=True, theirs=False)
linformer("linformer: values of another width", (2,), 4, 6, 2, 3, value_width=5, theirs=False)


# Memory-compressed attention.
def lucidrains_compressed(query, key, value, stride, key_kernel, value_kernel, null_key,
                          null_value, causal):
    """Their layer compresses keys and values by one and the same convolution, scales by the width
    of the whole layer, and always has a null key."""
    shape, heads, width = query.shape, as_four(query).shape[1], query.shape[-1]
    query, key, value = (as_four(x) for x in (query, key, value))
    assert np.array_equal(key_kernel, value_kernel)
    parts = 3 * heads
    layer = MemoryCompressedAttention(parts * width, heads=parts, causal=causal,
                                      compression_factor=stride).double().eval()
    # Three times as many heads as there are carry q, k and v; only the first ones are read.
    scale = math.sqrt(parts)
    layer.to_qkv.weight.zero_()
    rows = torch.arange(heads * width)
    for part in range(3):
        layer.to_qkv.weight[part * parts * width + rows, part * heads * width + rows] = (
            scale if part == 0 else 1)
    layer.compress_fn.conv.weight.zero_()
    layer.compress_fn.conv.bias.zero_()
    kernels = np.broadcast_to(key_kernel, (heads, *key_kernel.shape[-3:]))
    layer.compress_fn.conv.weight[:heads * width] = convert(kernels, torch.float64).flatten(0, 1)
    layer.null_k[..., :heads * width] = convert(null_key, torch.float64).repeat(heads)
    layer.null_v[..., :heads * width] = convert(null_value, torch.float64).repeat(heads)
    layer.to_out.weight.copy_(torch.eye(parts * width))
    layer.to_out.bias.zero_()
    output = layer(side_by_side(query, key, value))
    return heads_apart(output, heads, width).reshape(shape)


def torch_compressed(query, key, value, stride, key_kernel, value_kernel, null_key, null_value,
                     causal):
    """torch.nn.functional.conv1d, then exact attention."""
    length, size = key.shape[-2], key_kernel.shape[-1]
    windows = -(-length // stride)
    front = size + (windows - 1) * stride - length

    def compress(x, kernel):
        rows = convert(x, torch.float64).transpose(-1, -2).reshape(-1, x.shape[-1], length)
        out = F.conv1d(F.pad(rows, (front, 0)), convert(kernel, torch.float64), stride=stride)
        return out.transpose(-1, -2).reshape(*x.shape[:-2], windows, kernel.shape[0])

    key, value = compress(key, key_kernel), compress(value, value_kernel)
    last = np.arange(windows) * stride + size - 1 - front
    allowed = last <= np.arange(query.shape[-2])[:, None] if causal else None
    if null_key is not None:
        spread = torch.ones(*key.shape[:-2], 1, 1, dtype=torch.float64)
        key = torch.cat([spread * convert(null_key, torch.float64), key], -2)
        value = torch.cat([spread * convert(null_value, torch.float64), value], -2)
        allowed = np.pad(allowed, ((0, 0), (1, 0)), constant_values=True) if causal else None
    return attention(query, key, value, allowed=allowed)["output"]


def define_compressed(query, key, value, stride, key_kernel, value_kernel, null_key, null_value,
                      causal, number):
    """Window by window, tap by tap."""
    length, size = key.shape[-2], key_kernel.shape[-1]
    lasts = list(range(length - 1, -1, -stride))[::-1]

    def compress(x, kernel, null):
        x, kernel = number(x), number(kernel)
        rows = [] if null is None else [number(null).expand(*x.shape[:-2], x.shape[-1])]
        for last in lasts:
            places = [(tap, last - size + 1 + tap) for tap in range(size)]
            rows.append(sum((torch.einsum("...oi,...i->...o", kernel[..., tap], x[..., place, :])
                             for tap, place in places if place >= 0),
                            torch.zeros(*x.shape[:-2], kernel.shape[-3], dtype=x.dtype)))
        return torch.stack(rows, -2)

    first = [] if null_key is None else [-1]
    allowed = np.array([[last <= i for last in first + lasts] for i in range(query.shape[-2])])
    key = compress(key, key_kernel, null_key)
    return {"output": attention(query, key, compress(value, value_kernel, null_value),
                                allowed=allowed if causal else None, dtype=key.dtype)["output"]}


def compressed(name, leading, length, width, stride, *, size=None, query_length=None, null=None,
               causal=False, per_head=False, identity=False, value_width=None, source="package"):
    rng = numbers(name)
    size = size or stride
    query = grid(rng, *leading, query_length or length, width)
    key = grid(rng, *leading, length, width)
    value = grid(rng, *leading, length, value_width or width)
    own = leading[-1:] if per_head else ()
    key_kernel = np.eye(width)[..., None] if identity else grid(rng, *own, width, width, size)
    value_kernel = key_kernel if source == "package" or identity else (
        grid(rng, *own, value.shape[-1], value.shape[-1], size))
    null_key, null_value = (
        (None, None) if null is None else (np.zeros(width), np.zeros(value.shape[-1]))
        if null == "zeros" else (grid(rng, width), grid(rng, value.shape[-1])))
    options = {"stride": stride, "kernelSize": size, "keyKernel": key_kernel,
               "valueKernel": value_kernel}
    if null is not None:
        options.update(nullKey=null_key, nullValue=null_value)
    if causal:
        options["causal"] = True
    values = (query, key, value, stride, key_kernel, value_kernel, null_key, null_value, causal)
    theirs = {"package": lucidrains_compressed, "torch": torch_compressed,
              None: lambda *_: None}[source](*values)
    add_agreed(golden, name, "compressedAttention", [query, key, value], options,
               define=lambda number: define_compressed(*values, number),
               theirs=None if theirs is None else {"output": theirs},
               note={"package": "The package memory-compressed-attention in float64, without its "
                                "input mask; queries carry what makes its scale 1/sqrt(D).",
                     "torch": "torch.nn.functional.conv1d and attention in float64.",
                     None: "float64 torch operations, tap by tap."}[source])


compressed("compressed: blocks of 3", (), 6, 4, 3, null="zeros")
compressed("compressed: blocks of 3, causal, 7 keys, so that block 0 is padded", (), 7, 4, 3,
           null="drawn", causal=True)
compressed("compressed: 2 heads, batch of 2, causal", (2, 2), 8, 3, 3, null="drawn", causal=True)
compressed("compressed: kernels for each head", (2,), 9, 3, 2, null="drawn", per_head=True)
compressed("compressed: stride beyond the length", (), 4, 3, 6, null="drawn")
compressed("compressed: no null key, causal: zeros before the first window", (), 8, 3, 3,
           causal=True, source="torch")
compressed("compressed: windows that overlap", (), 9, 3, 2, size=5, source="torch")
compressed("compressed: windows with gaps, causal", (), 10, 3, 4, size=2, causal=True,
           null="drawn", source="torch")
compressed("compressed: every third key", (), 8, 4, 3, size=1, source="torch")
compressed("compressed: stride 1 and identity is exact attention", (2,), 5, 4, 1, identity=True,
           source="torch")
compressed("compressed: 3 queries, 7 keys, values of another width", (2,), 7, 3, 3,
           query_length=3, value_width=2, source="torch")
compressed("compressed: kernels for each head, causal, no null key", (2,), 7, 3, 3, causal=True,
           per_head=True, source=None)

# 7 keys in blocks of 3: {pad, pad, 0}, {1, 2, 3}, {4, 5, 6}; query 2 sees the null key and block 0.
assert list(range(7 - 1, -1, -3))[::-1] == [0, 3, 6]
golden.save()
