"""Positions in float64: definitions, and Hugging Face's own rotations fed with float64 angles."""

import math

import numpy as np
import torch
from transformers.models.gptj.modeling_gptj import apply_rotary_pos_emb as rotate_neighbours
from transformers.models.llama.modeling_llama import apply_rotary_pos_emb as rotate_halves


def sinusoid(length, dim, base=10000.0, layout="interleaved", offset=0):
    """[length, dim]: sine in the even columns and cosine in the odd ones, or all sines first."""
    column = np.arange(dim)
    at = np.arange(offset, offset + length, dtype=np.float64)[:, None]
    angle = at / np.power(base, (column - column % 2) / dim)
    table = np.where(column % 2 == 0, np.sin(angle), np.cos(angle))
    if layout == "interleaved":
        return table
    return np.concatenate([table[:, 0::2], table[:, 1::2]], 1)


def rotary(x, at, *, layout, base=10000.0, dims=None):
    """x [..., L, D] turned by its positions `at` [L]; only the first `dims` features turn."""
    x = torch.tensor(np.asarray(x, np.float64))
    dims = x.shape[-1] if dims is None else dims
    frequency = 1 / torch.pow(torch.tensor(base).double(), torch.arange(0, dims, 2).double() / dims)
    angle = torch.tensor(at).double()[:, None] * frequency
    turned, rest = x[..., :dims].reshape(1, -1, x.shape[-2], dims), x[..., dims:]
    if layout == "half":
        table = torch.cat([angle, angle], -1)
        row = torch.arange(len(at))[None]
        turned, _ = rotate_halves(turned, turned, table.cos(), table.sin(), row)
    else:  # GPT-J keeps the heads beside the features
        turned = rotate_neighbours(turned.transpose(1, 2), angle.sin()[None], angle.cos()[None])
        turned = turned.transpose(1, 2)
    return torch.cat([turned.reshape(*x.shape[:-1], dims), rest], -1).numpy()


def rotation(delta, dim, base=10000.0):
    """The matrix R with R P[i] = P[i + delta] for the interleaved table P."""
    matrix = np.zeros((dim, dim))
    for pair in range(dim // 2):
        turn = delta / base ** (2 * pair / dim)
        block = slice(2 * pair, 2 * pair + 2)
        matrix[block, block] = [[math.cos(turn), math.sin(turn)],
                                [-math.sin(turn), math.cos(turn)]]
    return matrix


def alibi_slopes(heads):
    """Powers of 2^(-8/n) for the nearest power of two n, then every second one for 2n."""
    nearest = 2 ** math.floor(math.log2(heads))
    first = [2 ** (-8 * (head + 1) / nearest) for head in range(nearest)]
    rest = [2 ** (-8 * (2 * head + 1) / (2 * nearest)) for head in range(heads - nearest)]
    return np.array(first + rest)


def alibi(heads, query_length, key_length):
    """[heads, Lq, Lk]: minus slope times distance, query and key both counted from 0."""
    distance = np.abs(np.arange(query_length)[:, None] - np.arange(key_length))
    return -alibi_slopes(heads)[:, None, None] * distance
