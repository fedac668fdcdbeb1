"""Mask descriptions, and the dense boolean matrix of each, pair by pair from its definition.

`allows` is the definition read aloud: may query i see key j, in batch entry b and head h. It is
slow on purpose; nothing in it is shared with the library.
"""

import numpy as np


def causal(offset=0):
    return {"kind": "causal", "offset": offset}


def window(left=None, right=None):
    sides = {"left": left, "right": right}
    return {"kind": "window", **{side: n for side, n in sides.items() if n is not None}}


def strided(stride, causal=None):
    return {"kind": "strided", "stride": stride, **({} if causal is None else {"causal": causal})}


def dilated(radius, dilation):
    return {"kind": "dilated", "radius": radius, "dilation": dilation}


def block_local(size):
    return {"kind": "blockLocal", "size": size}


def global_tokens(*tokens):
    return {"kind": "global", "tokens": list(tokens)}


def block_pairs(size, pairs):
    return {"kind": "blocks", "size": size, "pairs": pairs}


def block_layout(size, layout):
    return {"kind": "blocks", "size": size, "layout": layout}


def edges(neighbours):
    """Compressed rows: `neighbours[i]` lists the keys of query i."""
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in neighbours])])
    return {"kind": "edges", "rowOffsets": offsets.tolist(),
            "columns": [j for row in neighbours for j in row]}


def lengths(key=None, query=None):
    sides = {"key": key, "query": query}
    return {"kind": "lengths", **{side: n for side, n in sides.items() if n is not None}}


def segments(query, key):
    return {"kind": "segments", "query": query, "key": key}


def keep(matrix):
    return {"kind": "keep", "matrix": np.asarray(matrix, bool)}


def ignore(matrix):
    return {"kind": "ignore", "matrix": np.asarray(matrix, bool)}


def both(*masks):
    return {"kind": "and", "masks": list(masks)}


def either(*masks):
    return {"kind": "or", "masks": list(masks)}


def complement(mask):
    return {"kind": "not", "mask": mask}


def per_head(*masks):
    return {"kind": "perHead", "masks": list(masks)}


def allows(mask, i, j, b, h, shape):
    """May query i see key j? `shape` is (B, H, Lq, Lk)."""
    kind = mask["kind"]
    _, _, query_length, key_length = shape
    if kind == "causal":
        offset = mask["offset"]
        return j <= i + (key_length - query_length if offset == "end" else offset)
    if kind == "window":
        return ("left" not in mask or i - mask["left"] <= j) and (
            "right" not in mask or j <= i + mask["right"])
    if kind == "strided":
        return (i - j) % mask["stride"] == 0 and (not mask.get("causal") or j <= i)
    if kind == "dilated":
        reach = mask["radius"] * mask["dilation"]
        return abs(i - j) <= reach and abs(i - j) % mask["dilation"] == 0
    if kind == "blockLocal":
        return i // mask["size"] == j // mask["size"]
    if kind == "global":
        return i in mask["tokens"] or j in mask["tokens"]
    if kind == "blocks":
        row, column = i // mask["size"], j // mask["size"]
        if "pairs" in mask:
            return [row, column] in mask["pairs"]
        return bool(mask["layout"][row][column])
    if kind == "edges":
        start, end = mask["rowOffsets"][i], mask["rowOffsets"][i + 1]
        return j in mask["columns"][start:end]
    if kind == "lengths":
        return ("key" not in mask or j < mask["key"][b]) and (
            "query" not in mask or i < mask["query"][b])
    if kind == "segments":
        query, key = mask["query"], mask["key"]
        return (query[b] if np.ndim(query) == 2 else query)[i] == (
            key[b] if np.ndim(key) == 2 else key)[j]
    if kind in ("keep", "ignore"):
        entry = np.broadcast_to(mask["matrix"], shape)[b, h, i, j]
        return bool(entry) == (kind == "keep")
    if kind == "and":
        return all(allows(part, i, j, b, h, shape) for part in mask["masks"])
    if kind == "or":
        return any(allows(part, i, j, b, h, shape) for part in mask["masks"])
    if kind == "not":
        return not allows(mask["mask"], i, j, b, h, shape)
    if kind == "perHead":
        return allows(mask["masks"][h], i, j, b, h, shape)
    raise ValueError(kind)


def dense(mask, shape):
    """The boolean array [B, H, Lq, Lk] of a mask; True where the query may see the key."""
    matrix = np.ones(shape, bool)
    if mask is not None:
        for b, h, i, j in np.ndindex(*shape):
            matrix[b, h, i, j] = allows(mask, i, j, b, h, shape)
    return matrix
