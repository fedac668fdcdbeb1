"""picking.json: hard attention, attention to places, and the baselines."""

import math

import numpy as np
import torch
import torch.nn.functional as F

import masks
from agreement import add_agreed, apart, difference, drawn_until
from golden import Golden, grid, numbers
from reference import attention, convert

golden = Golden("picking")
torch.set_grad_enabled(False)
EXACT = {"relative": 0, "absolute": 0}


def exact(x):
    return convert(x, torch.float64)


# Hard attention: the value of the key with the largest score.
def hard(name, leading, query_length, key_length, width, value_width, mask=None):
    def draw(stream):
        rng = numbers(stream)
        return (grid(rng, *leading, query_length, width), grid(rng, *leading, key_length, width),
                grid(rng, *leading, key_length, value_width))

    query, key, value = drawn_until(
        lambda q, k, v: apart(q @ np.swapaxes(k, -1, -2), 0.01), draw, name)
    allowed = None if mask is None else masks.dense(mask, (1, 1, query_length, key_length))[0, 0]

    def define(number):
        scores = number(query) @ number(key).transpose(-1, -2)
        if mask is not None:
            scores = scores.masked_fill(~torch.tensor(allowed), -math.inf)
        best = scores.argmax(-1)
        return {"output": torch.take_along_dim(number(value), best.unsqueeze(-1), -2)}

    add_agreed(golden, name, "hardAttention", [query, key, value],
               {} if mask is None else {"mask": mask}, define=define,
               theirs={"output": attention(query, key, value, allowed=allowed,
                                           normalizer="hard")["output"]},
               tolerance=EXACT, note="The value itself.")


hard("hard", (), 4, 6, 3, 3)
hard("hard: 2 heads, batch of 2, values of another width", (2, 2), 3, 5, 4, 2)
hard("hard: one key", (), 3, 1, 2, 2)
hard("hard: causal", (2,), 5, 5, 3, 2, mask=masks.causal())
tied = (np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]),
        np.array([[1.0, -1.0], [1.0, 2.0], [0.5, 2.0], [1.0, 2.0]]),
        np.array([[1.0], [2.0], [3.0], [4.0]]))
add_agreed(golden, "hard: of equal largest scores the first", "hardAttention", list(tied), {},
           define=lambda number: {"output": number([[1.0], [2.0], [1.0]])},
           theirs={"output": attention(*tied, normalizer="hard")["output"]}, tolerance=EXACT,
           note="The value itself; scores are exact.")


# Attention pooling.
def pooling(name, leading, queries, length, width, own=()):
    rng = numbers(name)
    query, x = grid(rng, *own, queries, width), grid(rng, *leading, length, width)

    def define(number):
        raised = (number(query) @ number(x).transpose(-1, -2) / math.sqrt(width)).exp()
        return {"output": raised / raised.sum(-1, keepdim=True) @ number(x)}

    spread = exact(query).expand(*leading, queries, width)
    output, _ = F._scaled_dot_product_attention(spread, exact(x), exact(x))
    add_agreed(golden, name, "attentionPooling", [query, x], define=define,
               theirs={"output": output},
               note="torch.nn.functional._scaled_dot_product_attention in float64.")


pooling("pooling: n to 1", (), 1, 6, 4)
pooling("pooling: n to 3", (), 3, 5, 4)
pooling("pooling: the same query for a batch of 2 and 2 heads", (2, 2), 2, 4, 3)
pooling("pooling: queries of each head", (2,), 2, 5, 3, own=(2,))


# Location-wise soft, one axis.
def gaussian(name, leading, length, width, centers, widths):
    x = grid(numbers(name), *leading, length, width)
    centers, widths = np.array(centers, float), np.array(widths, float)

    def define(number):
        distance = number(np.arange(length)) - number(centers).unsqueeze(-1)
        exponent = -distance.square() / (2 * number(widths).square().unsqueeze(-1))
        raised = (exponent - exponent.amax(-1, keepdim=True)).exp()
        return {"output": raised / raised.sum(-1, keepdim=True) @ number(x)}

    density = torch.distributions.Normal(exact(centers).unsqueeze(-1), exact(widths).unsqueeze(-1))
    weights = F.softmax(density.log_prob(torch.arange(length, dtype=torch.float64)), -1)
    add_agreed(golden, name, "locationAttention", [x],
               {"gaussian": {"centers": centers, "widths": widths}}, define=define,
               theirs={"output": weights @ exact(x)},
               note="Densities of torch.distributions.Normal in float64, divided by their sum.")


gaussian("gaussian window: one place", (), 6, 3, [2], [1])
gaussian("gaussian window: places between tokens", (), 7, 2, [0.5, 2.25, 6], [0.5, 1.5, 3])
gaussian("gaussian window: 2 heads, batch of 2", (2, 2), 5, 2, [1, 3.5], [0.75, 2])
gaussian("gaussian window: places of each head", (2,), 4, 3, [[0, 1.5], [3, 2]],
         [[0.5, 1], [2, 0.25]])
gaussian("gaussian window: so wide that it is the mean", (), 5, 3, [2], [10000])
gaussian("gaussian window: far outside, where every density is 0 in float32", (), 5, 2, [-20, 40],
         [0.5, 1])


# Location-wise soft, two axes. torch's maps are [batch, channels, height, width]; the first row of
# theta makes the horizontal place, the second the vertical one.
def affine(name, leading, height, width, channels, theta, rows, columns):
    x = grid(numbers(name), *leading, height, width, channels)
    theta = np.array(theta, float)

    def places(count, number):
        return number(np.linspace(-1, 1, count) if count > 1 else np.zeros(1))

    def define(number):
        flat = number(x).reshape(-1, height, width, channels)
        turns = number(np.broadcast_to(theta, (*leading, 2, 3)).copy()).reshape(-1, 2, 3)
        across = places(columns, number).expand(rows, columns)
        down = places(rows, number).unsqueeze(-1).expand(rows, columns)
        target = torch.stack([across, down, torch.ones_like(across)], -1)
        source = torch.einsum("bij,hwj->bhwi", turns, target)
        column, row = ((source[..., axis] + 1) / 2 * (count - 1)
                       for axis, count in ((0, width), (1, height)))
        output = torch.zeros(len(flat), rows, columns, channels, dtype=flat.dtype)
        for b in range(len(flat)):
            for i in range(height):
                for j in range(width):
                    part = (1 - (row[b] - i).abs()).clamp(min=0) * (
                        1 - (column[b] - j).abs()).clamp(min=0)
                    output[b] += part.unsqueeze(-1) * flat[b, i, j]
        return {"output": output.reshape(*leading, rows, columns, channels)}

    flat = exact(x).reshape(-1, height, width, channels).permute(0, 3, 1, 2)
    turns = exact(theta).expand(*leading, 2, 3).reshape(-1, 2, 3)
    field = F.affine_grid(turns, [len(flat), channels, rows, columns], align_corners=True)
    read = F.grid_sample(flat, field, "bilinear", "zeros", align_corners=True)
    output = read.permute(0, 2, 3, 1).reshape(*leading, rows, columns, channels)
    add_agreed(golden, name, "locationAttention", [x],
               {"affine": {"theta": theta, "height": rows, "width": columns}}, define=define,
               theirs={"output": output},
               note="torch's affine_grid and grid_sample in float64, align_corners true, zeros "
                    "outside. Row 0 of theta is the horizontal place.")


TURN = [[0.8, -0.6, 0.125], [0.6, 0.8, -0.25]]
affine("affine: identity", (), 3, 4, 2, [[1, 0, 0], [0, 1, 0]], 3, 4)
affine("affine: identity to another size", (), 3, 4, 2, [[1, 0, 0], [0, 1, 0]], 5, 3)
affine("affine: half the width, shifted to the right", (1,), 4, 5, 1,
       [[0.5, 0, 0.375], [0, 1, 0]], 4, 3)
affine("affine: a turn that leaves the map", (), 4, 3, 2, TURN, 3, 4)
affine("affine: batch of 2, 2 heads", (2, 2), 3, 3, 1, TURN, 2, 3)
affine("affine: a transform for each head", (2,), 3, 4, 1, [TURN, [[0, 1, 0], [1, 0, 0.25]]], 3, 2)
affine("affine: all outside", (), 3, 3, 1, [[1, 0, 5], [0, 1, 0]], 2, 2)
affine("affine: one place is the middle", (), 4, 5, 2, [[1, 0, 0.25], [0, 1, 0]], 1, 1)


# Location-wise hard.
def glimpse(name, leading, height, width, channels, center, rows, columns):
    x = grid(numbers(name), *leading, height, width, channels)
    center = np.array(center, float)
    flat = exact(x).reshape(-1, height, width, channels)
    middles = exact(center).expand(*leading, 2).reshape(-1, 2)

    def define(number):
        around = max(rows, columns) + int(np.abs(center).max())
        padded = F.pad(number(x).reshape(flat.shape), (0, 0, around, around, around, around))
        crops = []
        for image, (row, column) in zip(padded, middles.long().tolist()):
            top, start = row - rows // 2 + around, column - columns // 2 + around
            crops.append(image[top:top + rows, start:start + columns])
        return {"output": torch.stack(crops).reshape(*leading, rows, columns, channels)}

    row = middles[:, :1] - rows // 2 + torch.arange(rows)
    column = middles[:, 1:] - columns // 2 + torch.arange(columns)
    field = torch.stack([
        (2 * column / (width - 1) - 1).unsqueeze(1).expand(-1, rows, -1),
        (2 * row / (height - 1) - 1).unsqueeze(2).expand(-1, -1, columns)], -1)
    read = F.grid_sample(flat.permute(0, 3, 1, 2), field, "nearest", "zeros", align_corners=True)
    output = read.permute(0, 2, 3, 1).reshape(*leading, rows, columns, channels)
    add_agreed(golden, name, "locationAttention", [x],
               {"glimpse": {"center": center, "height": rows, "width": columns}}, define=define,
               theirs={"output": output}, tolerance=EXACT,
               note="torch's grid_sample with the nearest cell in float64, zeros outside.")


glimpse("glimpse: 3 by 3", (), 5, 6, 2, [2, 3], 3, 3)
glimpse("glimpse: 2 by 4, whose middle is row 1, column 2", (), 5, 6, 1, [2, 3], 2, 4)
glimpse("glimpse: over a corner", (1,), 4, 4, 1, [0, 3], 3, 3)
glimpse("glimpse: outside", (), 3, 3, 2, [-5, 9], 2, 3)
glimpse("glimpse: larger than the map", (), 2, 3, 1, [1, 1], 5, 5)
glimpse("glimpse: a centre for each head, batch of 2", (2, 2), 4, 5, 1, [[1, 1], [3, 4]], 3, 2)


# Convolution along the sequence.
def conv1d(name, leading, length, inward, outward, size, *, left=None, bias=True):
    rng = numbers(name)
    x, weight = grid(rng, *leading, length, inward), grid(rng, outward, inward, size)
    bias = grid(rng, outward) if bias else None
    before = (size - 1) // 2 if left is None else left

    def define(number):
        rows = []
        for i in range(length):
            taps = [(t, i + t - before) for t in range(size) if 0 <= i + t - before < length]
            row = torch.zeros(*leading, outward, dtype=number(0).dtype)
            for t, place in taps:
                row = row + torch.einsum("oi,...i->...o", number(weight[..., t]),
                                         number(x[..., place, :]))
            rows.append(row if bias is None else row + number(bias))
        return {"output": torch.stack(rows, -2)}

    rows = exact(x).reshape(-1, length, inward).transpose(1, 2)
    output = F.conv1d(F.pad(rows, (before, size - 1 - before)), exact(weight),
                      None if bias is None else exact(bias))
    if left is None:
        difference(name, output, F.conv1d(rows, exact(weight), None if bias is None
                                          else exact(bias), padding="same"))
    add_agreed(golden, name, "conv1d", [x, weight, bias], {} if left is None else {"left": left},
               define=define,
               theirs={"output": output.transpose(1, 2).reshape(*leading, length, outward)},
               note="torch.nn.functional.conv1d in float64.")


conv1d("conv1d: 3 taps", (), 6, 2, 3, 3)
conv1d("conv1d: 4 taps, one of them to the left", (), 6, 2, 2, 4)
conv1d("conv1d: causal", (), 5, 3, 2, 3, left=2)
conv1d("conv1d: to the right only, without bias", (1,), 5, 2, 2, 3, left=0, bias=False)
conv1d("conv1d: batch of 2, 2 heads", (2, 2), 4, 2, 3, 3, bias=False)
conv1d("conv1d: one tap is a linear layer", (), 4, 3, 2, 1)
conv1d("conv1d: 2 L - 1 taps see the whole sequence", (), 4, 2, 2, 7)
conv1d("conv1d: more taps than tokens", (), 2, 2, 2, 5)


# A recurrent layer.
def rnn(name, leading, length, inward, hidden, *, bias=True, start=None):
    """`start` are the leading axes of the first state, if it has one."""
    rng = numbers(name)
    x = grid(rng, *leading, length, inward)
    inner, outer = grid(rng, hidden, inward), grid(rng, hidden, hidden)
    bias = grid(rng, hidden) if bias else None
    start = None if start is None else grid(rng, *start, hidden)
    first = np.broadcast_to(np.zeros(hidden) if start is None else start, (*leading, hidden)).copy()

    def define(number):
        state, rows = number(first), []
        for t in range(length):
            state = torch.tanh(
                torch.einsum("hi,...i->...h", number(inner), number(x[..., t, :]))
                + torch.einsum("hg,...g->...h", number(outer), state)
                + (0 if bias is None else number(bias)))
            rows.append(state)
        return {"output": torch.stack(rows, -2)}

    layer = torch.nn.RNN(inward, hidden, batch_first=True, bias=bias is not None).double()
    layer.weight_ih_l0.copy_(exact(inner))
    layer.weight_hh_l0.copy_(exact(outer))
    if bias is not None:
        layer.bias_ih_l0.copy_(exact(bias))
        layer.bias_hh_l0.zero_()
    output, _ = layer(exact(x).reshape(-1, length, inward), exact(first).reshape(1, -1, hidden))
    add_agreed(golden, name, "rnn", [x, inner, outer, bias],
               None if start is None else {"start": start}, define=define,
               theirs={"output": output.reshape(*leading, length, hidden)},
               note="torch.nn.RNN with tanh, in float64.")


rnn("rnn", (), 6, 2, 3)
rnn("rnn: without bias", (1,), 4, 3, 2, bias=False)
rnn("rnn: batch of 2, 2 heads", (2, 2), 4, 2, 3)
rnn("rnn: from a state for all", (2,), 3, 2, 3, start=())
rnn("rnn: from a state of each head, batch of 2", (2, 2), 3, 2, 2, start=(2, 2), bias=False)
rnn("rnn: one token, one unit", (), 1, 2, 1)


# Heads that each look at one relative place, and what a convolution makes of the same.
def offset_heads(name, length, size, left=None):
    options = {"length": length, "size": size, **({} if left is None else {"left": left})}
    left = (size - 1) // 2 if left is None else left
    bias = np.full((size, length, length), -np.inf)
    for h in range(size):
        for i in range(length):
            if 0 <= i + h - left < length:
                bias[h, i, i + h - left] = 0
    rng = numbers(name)
    x, weight = grid(rng, length, 2), grid(rng, 3, 2, size)
    seen = F.softmax(exact(bias), -1).nan_to_num() @ exact(x)
    joined = torch.einsum("oih,hli->lo", exact(weight), seen)
    output = F.conv1d(F.pad(exact(x).T, (left, size - 1 - left)), exact(weight)).T
    difference(name, joined, output)
    golden.add(name, "offsetHeads", [], options,
               expected={"output": bias}, tolerance=EXACT,
               note="From the definition; softmax of it, each head's part of a kernel and a sum "
                    "over heads are torch.nn.functional.conv1d.")


offset_heads("offset heads: 3 around", 4, 3, 1)
offset_heads("offset heads: 4, one of them to the left unless told", 4, 4)
offset_heads("offset heads: causal", 5, 3, 2)
offset_heads("offset heads: to the right", 3, 2, 0)
offset_heads("offset heads: beyond both ends", 2, 5, 2)
golden.save()
