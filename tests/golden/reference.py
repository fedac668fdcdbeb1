"""Exact attention as PyTorch computes it: plain torch operations, one per line of the definition.

Run in float64 it gives the golden numbers. Run again in float32 it shows how far rounding alone
moves them, so that no case asks for more than float32 can give.
"""

import math

import numpy as np
import torch
import torch.nn.functional as F

from golden import TOLERANCE
from masks import dense


def scores_of(query, key, score):
    """Scores before scaling, [..., Lq, Lk], and the factor used when no scale is given."""
    if score == "scaledDot":
        return query @ key.transpose(-1, -2), 1 / math.sqrt(max(query.shape[-1], 1))
    if score == "dot":
        return query @ key.transpose(-1, -2), 1.0
    if score == "cosine":
        return F.cosine_similarity(query.unsqueeze(-2), key.unsqueeze(-3), dim=-1), 1.0
    if "additive" in score:
        weights = {name: convert(w, query.dtype) for name, w in score["additive"].items()}
        hidden = (F.linear(query, weights["queryWeight"]).unsqueeze(-2)
                  + F.linear(key, weights["keyWeight"]).unsqueeze(-3))
        return torch.tanh(hidden) @ weights["vector"], 1.0
    weight = convert(score["bilinear"]["weight"], query.dtype)
    return torch.einsum("...id,de,...je->...ij", query, weight, key), 1.0


def convert(array, dtype):
    return torch.tensor(np.asarray(array), dtype=dtype)


def attention(query, key, value, *, allowed=None, score="scaledDot", scale=None, softcap=0.0,
              bias=None, normalizer="softmax", sinks=None, dtype=torch.float64):
    """{ output, weights, scores, logSumExp }; `allowed` broadcasts to the scores."""
    query, key, value = (convert(x, dtype) for x in (query, key, value))
    if query.dim() > 2 and key.dim() > 2 and query.shape[-3] > key.shape[-3] > 0:
        group = query.shape[-3] // key.shape[-3]
        key = key.repeat_interleave(group, dim=-3)
        value = value.repeat_interleave(group, dim=-3) if value.dim() > 2 else value

    scores, default_scale = scores_of(query, key, score)
    scores = scores * (default_scale if scale is None else scale)
    if softcap:
        scores = softcap * torch.tanh(scores / softcap)
    if bias is not None:
        scores = scores + convert(bias, dtype)
    leading = torch.broadcast_shapes(scores.shape[:-2], value.shape[:-2])
    scores = scores.expand(*leading, *scores.shape[-2:])
    visible = torch.ones(scores.shape, dtype=torch.bool)
    if allowed is not None:
        visible = visible & torch.tensor(np.asarray(allowed))
    visible = visible & (scores != -math.inf)
    scores = torch.where(visible, scores, torch.tensor(-math.inf, dtype=dtype))

    weights, total = normalize(scores, visible, normalizer, sinks)
    # A key that must not be seen is selected away: its value is never multiplied, so that a NaN
    # there stays there.
    seen = torch.where(visible.unsqueeze(-1), value.unsqueeze(-3), torch.zeros((), dtype=dtype))
    output = (weights.unsqueeze(-1) * seen).sum(-2)
    return {"output": output, "weights": weights, "scores": scores, "logSumExp": total}


def normalize(scores, visible, normalizer, sinks):
    """Weights, zero where nothing may be seen, and the logarithm of the softmax's denominator."""
    zero = torch.zeros((), dtype=scores.dtype)
    some = visible.any(-1, keepdim=True)
    repaired = torch.where(some, scores, zero)  # an empty row would give 0/0
    total = torch.logsumexp(scores, -1) if scores.shape[-1] else (
        torch.full(scores.shape[:-1], -math.inf, dtype=scores.dtype))
    if normalizer == "softmax" and sinks is not None:
        column = convert(sinks, scores.dtype).reshape(-1, 1, 1)
        column = column.expand(*scores.shape[:-1], 1)
        weights = F.softmax(torch.cat([repaired, column], -1), -1)[..., :-1]
        total = torch.logsumexp(torch.cat([scores, column], -1), -1)
    elif normalizer == "softmax":
        weights = F.softmax(repaired, -1)
    elif normalizer == "relu":
        positive = torch.where(visible, F.relu(repaired), zero)
        row = positive.sum(-1, keepdim=True)
        weights = torch.where(row > 0, positive / torch.where(row > 0, row, row + 1), zero)
    elif normalizer == "sigmoid":
        weights = torch.sigmoid(repaired)
    elif normalizer == "hard":  # numpy promises that the first of equal largest scores wins
        winner = np.argmax(repaired.numpy(), -1)
        weights = F.one_hot(torch.tensor(winner), scores.shape[-1]).to(scores.dtype)
    return torch.where(visible & some, weights, zero), total


def torch_function(query, key, value, allowed):
    """torch.nn.functional's own attention, float64; it has no scale, bias, cap or empty rows."""
    query, key, value = (convert(x, torch.float64) for x in (query, key, value))
    mask = None if allowed is None else torch.tensor(np.asarray(allowed))
    return F._scaled_dot_product_attention(query, key, value, mask, need_attn_weights=True)


def mask_shape(query, key, leading):
    """(B, H, Lq, Lk): the axis before the tokens is the head axis, before that is the batch."""
    if len(leading) > 2:
        raise ValueError("masks are made for one batch axis and one head axis")
    return (*([1] * (2 - len(leading))), *leading, query.shape[-2], key.shape[-2])


def attention_case(golden, name, query, key, value, *, mask=None, returns=(), note="",
                   tolerance=None, **options):
    """Adds a case of the operation `attention`, and returns its float64 numbers as numpy arrays.

    `options` are those of `attention()` above and carry the names of the public interface.
    """
    query, key, value = (np.asarray(x, np.float64) for x in (query, key, value))
    leading = attention(query, key, value, **options)["output"].shape[:-2]
    allowed = None
    if mask is not None:
        shape = mask_shape(query, key, leading)
        allowed = dense(mask, shape).reshape(*leading, *shape[2:])
    exact = attention(query, key, value, allowed=allowed, **options)
    wanted = {part: exact[part] for part in ("output", *returns)}

    made_by = "float64 torch operations"
    finite = all(np.isfinite(x).all() for x in (query, key, value))
    plain = not options and finite and exact["output"].numel() and query.ndim == key.ndim
    if plain and query.shape[:-2] == key.shape[:-2] == value.shape[:-2] and (
            allowed is None or allowed.any(-1).all()):
        output, weights = torch_function(query, key, value, allowed)
        assert torch.allclose(output, exact["output"], rtol=1e-12, atol=1e-12), name
        assert torch.allclose(weights, exact["weights"], rtol=1e-12, atol=1e-12), name
        made_by = "torch.nn.functional._scaled_dot_product_attention in float64"

    if options.get("normalizer") == "hard":  # a winner must win by more than rounding, or tie
        first, second = exact["scores"].sort(-1, descending=True)[0][..., :2].unbind(-1)
        assert ((first == second) | (first - second > 1e-3)).all(), name

    bound = tolerance or TOLERANCE
    rounded = attention(query, key, value, allowed=allowed, dtype=torch.float32, **options)
    for part, want in wanted.items():
        got = rounded[part].double()
        same = (got == want) | (got.isnan() & want.isnan())
        error = torch.where(same, torch.zeros(()).double(), (got - want).abs())
        room = bound["absolute"] + bound["relative"] * want.abs()
        assert (same | (error <= room / 2)).all(), (name, part, float(error.max()))

    public = {} if mask is None else {"mask": mask}
    public.update(options)
    if returns:
        public["returns"] = {part: True for part in returns}
    golden.add(name, "attention", [query, key, value], public, expected=wanted,
               tolerance=tolerance, note=f"{made_by}. {note}".strip())
    return {part: x.numpy() for part, x in exact.items()}
