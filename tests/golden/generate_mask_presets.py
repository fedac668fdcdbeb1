"""mask_presets.json: the patterns of Sparse Transformer, Longformer and BigBird."""

import numpy as np
import torch
from transformers.models.big_bird.configuration_big_bird import BigBirdConfig
from transformers.models.big_bird.modeling_big_bird import (BigBirdBlockSparseAttention,
                                                            BigBirdModel)
from transformers.models.longformer.configuration_longformer import LongformerConfig
from transformers.models.longformer.modeling_longformer import LongformerSelfAttention

from agreement import add_agreed, difference
from golden import Golden, grid, numbers
from other_classes import file_of_package
from reference import attention, convert

layouts = file_of_package("deepspeed", "deepspeed/ops/sparse_attention/sparsity_config.py")
golden = Golden("mask_presets", ("torch", "transformers", "deepspeed"))
torch.set_grad_enabled(False)
EXACT = {"relative": 0, "absolute": 0}


# The definitions: may query i see key j?
def longformer(window, tokens):
    return lambda i, j, _: abs(i - j) <= window or i in tokens or j in tokens


def big_bird(size, pairs, count):
    def allows(i, j, length):
        row, column, blocks = i // size, j // size, -(-length // size)
        turns = [end for n in range(blocks) for end in (n, blocks - 1 - n)][:count]
        return abs(row - column) <= 1 or row in turns or column in turns or [row, column] in pairs
    return allows


def strided(stride):
    return lambda i, j, _: j <= i and (i - j < stride or (i - j) % stride == 0)


def fixed(stride, summary):
    return lambda i, j, _: j <= i and (
        i // stride == j // stride or j % stride >= stride - summary)


def dense(allows, length):
    return np.array([[allows(i, j, length) for j in range(length)] for i in range(length)],
                    bool).reshape(length, length)


def matrix(name, mask, allows, length, *, layout=None, rows=None, note=""):
    """`layout` are DeepSpeed's blocks, `rows` the keys that a published example lists."""
    allowed = dense(allows, length)
    if layout is not None:
        size = length // layout.shape[-1]
        theirs = np.kron(layout[0].numpy(), np.ones((size, size)))
        difference(name, theirs, allowed.astype(float), 0)
        note = f"Pair by pair from the definition; agrees with DeepSpeed's layout{note}."
    elif rows is not None:
        assert [np.flatnonzero(row).tolist() for row in allowed] == rows, name
        note = f"Pair by pair from the definition; agrees with the published rows{note}."
    golden.add(name, "maskMatrix", [mask], {"queryLength": length, "keyLength": length},
               expected={"output": allowed.astype(float)}, tolerance=EXACT,
               note=note or "Pair by pair from the definition, in Python.")


def attended(name, mask, allows, query, key, value, theirs, closeness, note):
    allowed = dense(allows, query.shape[-2])
    add_agreed(golden, name, "attention", [query, key, value], {"mask": mask},
               define=lambda number: {"output": attention(
                   query, key, value, allowed=allowed, dtype=number(0).dtype)["output"]}, note=note)
    difference(name, theirs, golden_output(), closeness)


def golden_output():
    """What the case just added expects, as it stands in the file."""
    entry = golden.cases[-1]["expected"]["output"]
    return np.reshape(entry["data"], entry["shape"])


# Sparse Transformer.
def sparse(pattern, stride, summary=None):
    return {"kind": "sparseTransformer", "pattern": pattern, "stride": stride,
            **({} if summary is None else {"summary": summary})}


def deepspeed_fixed(length, stride, summary):
    """Without what lets a block's summary see ahead inside itself."""
    return torch.tril(layouts.FixedSparsityConfig(
        1, block=1, num_local_blocks=stride, num_global_blocks=summary,
        attention="unidirectional").make_layout(length))


matrix("sparse transformer: fixed 3, 1", sparse("fixed", 3, 1), fixed(3, 1), 7,
       rows=[[0], [0, 1], [0, 1, 2], [2, 3], [2, 3, 4], [2, 3, 4, 5], [2, 5, 6]])
matrix("sparse transformer: fixed 4, 2", sparse("fixed", 4, 2), fixed(4, 2), 13,
       layout=deepspeed_fixed(13, 4, 2))
matrix("sparse transformer: fixed 6, 3", sparse("fixed", 6, 3), fixed(6, 3), 20,
       layout=deepspeed_fixed(20, 6, 3))
matrix("sparse transformer: fixed 5, summary 1 unless told", sparse("fixed", 5), fixed(5, 1), 12,
       layout=deepspeed_fixed(12, 5, 1))
matrix("sparse transformer: fixed, summary of the whole block is causal", sparse("fixed", 3, 3),
       fixed(3, 3), 7, layout=torch.tril(torch.ones(1, 7, 7)))
matrix("sparse transformer: strided 3", sparse("strided", 3), strided(3), 10)
matrix("sparse transformer: strided 4", sparse("strided", 4), strided(4), 16)
matrix("sparse transformer: strided 1 is causal", sparse("strided", 1), strided(1), 5,
       layout=torch.tril(torch.ones(1, 5, 5)))
matrix("sparse transformer: strided, longer than the sequence", sparse("strided", 100),
       strided(100), 6, layout=torch.tril(torch.ones(1, 6, 6)))
for pattern, mask, allows in (("strided 3", sparse("strided", 3), strided(3)),
                              ("fixed 4, 1", sparse("fixed", 4, 1), fixed(4, 1))):
    rng = numbers(pattern)
    inputs = [grid(rng, 2, 10, 3) for _ in range(3)]
    add_agreed(golden, f"sparse transformer: attention, {pattern}", "attention", inputs,
               {"mask": mask}, define=lambda number, inputs=inputs, allows=allows: {
                   "output": attention(*inputs, allowed=dense(allows, 10),
                                       dtype=number(0).dtype)["output"]},
               note="float64 torch operations with the dense matrix.")


# Longformer.
def longformer_mask(window, tokens):
    return {"kind": "longformer", "window": window, "global": tokens}


def hugging_longformer(query, key, value, window, tokens):
    """Three times as many heads as there are carry q, k and v; only the first ones are read."""
    batch, heads, length, width = query.shape
    whole = 3 * heads * width
    layer = LongformerSelfAttention(LongformerConfig(
        hidden_size=whole, num_attention_heads=3 * heads, attention_window=[2 * window],
        attention_probs_dropout_prob=0.0), 0).double().eval()
    for part, name in enumerate(("query", "key", "value")):
        for linear in (getattr(layer, name), getattr(layer, f"{name}_global")):
            linear.weight.zero_()
            linear.bias.zero_()
            rows = torch.arange(heads * width)
            linear.weight[rows, part * heads * width + rows] = 1
    hidden = torch.cat([convert(x, torch.float64).transpose(1, 2).flatten(2)
                        for x in (query, key, value)], -1)
    codes = torch.zeros(batch, length, dtype=torch.float64)
    codes[:, tokens] = 10000
    output = layer(hidden, attention_mask=codes, is_index_masked=codes < 0,
                   is_index_global_attn=codes > 0, is_global_attn=bool(tokens))[0]
    return output[..., :heads * width].unflatten(-1, (heads, width)).transpose(1, 2)


def longformer_layout(length, window, tokens):
    return layouts.BSLongformerSparsityConfig(
        1, block=1, num_sliding_window_blocks=2 * window + 1,
        global_block_indices=tokens).make_layout(length)


matrix("longformer: window 1, global 0", longformer_mask(1, [0]), longformer(1, [0]), 6,
       rows=[[0, 1, 2, 3, 4, 5], [0, 1, 2], [0, 1, 2, 3], [0, 2, 3, 4], [0, 3, 4, 5], [0, 4, 5]])
matrix("longformer: window 2, globals 3 and 9", longformer_mask(2, [3, 9]), longformer(2, [3, 9]),
       12, layout=longformer_layout(12, 2, [3, 9]))
matrix("longformer: no global token", longformer_mask(3, []), longformer(3, []), 9,
       layout=longformer_layout(9, 3, []))
matrix("longformer: window 0", longformer_mask(0, [1]), longformer(0, [1]), 5,
       layout=longformer_layout(5, 0, [1]))
matrix("longformer: window beyond the sequence is full", longformer_mask(50, [0]),
       longformer(50, [0]), 4, layout=torch.ones(1, 4, 4))
for name, shape, window, tokens in (
        ("no global token", (1, 1, 8, 4), 2, []), ("global 0", (1, 2, 12, 3), 3, [0]),
        ("globals 2 and 7, batch of 2, 2 heads", (2, 2, 12, 2), 2, [2, 7])):
    rng = numbers(f"longformer {name}")
    query, key, value = (grid(rng, *shape) for _ in range(3))
    attended(f"longformer: attention, {name}", longformer_mask(window, tokens),
             longformer(window, tokens), query, key, value,
             hugging_longformer(query, key, value, window, tokens), 1e-6,
             "float64 torch operations with the dense matrix; agrees with Hugging Face's "
             "LongformerSelfAttention, whose softmax is float32.")


# BigBird.
def big_bird_mask(size, random, count):
    """`random` is 0 or the pairs of blocks that take the place of random ones."""
    return {"kind": "bigBird", "blockSize": size, "globalBlocks": count,
            **({"pairs": random} if random else {"randomBlocks": 0})}


def hugging_big_bird(query, key, value, size, count, seed):
    """Their attention, and the pairs of blocks that it drew by this seed."""
    batch, heads, length, width = query.shape
    layer = BigBirdBlockSparseAttention(BigBirdConfig(
        hidden_size=heads * width, num_attention_heads=heads, block_size=size,
        num_random_blocks=count), seed=seed).double()
    ones = torch.ones(batch, length, dtype=torch.float64)
    blocked, band, rows, columns = BigBirdModel.create_masks_for_block_sparse_attn(ones, size)
    output, _ = layer.bigbird_block_sparse_attention(
        *(convert(x, torch.float64) for x in (query, key, value)), band, rows, columns, blocked,
        blocked, heads, count, width, size, size, batch, length, length, seed=seed,
        plan_from_length=None, plan_num_rand_blocks=None, output_attentions=False)
    np.random.seed(seed)
    lengths, counts = layer._get_rand_attn_plan(length, size, count)
    drawn = layer._bigbird_block_rand_mask_with_head(
        from_seq_length=length, to_seq_length=length, from_block_size=size, to_block_size=size,
        num_heads=heads, plan_from_length=lengths, plan_num_rand_blocks=counts)
    pairs = [[row + 1, int(column)] for row, columns in enumerate(drawn[0]) for column in columns]
    return output.transpose(1, 2), pairs


def big_bird_layout(length, size):
    return layouts.BigBirdSparsityConfig(1, block=size, num_random_blocks=0,
                                         num_global_blocks=1).make_layout(length)


matrix("big bird: 6 blocks of 1", big_bird_mask(1, 0, 2), big_bird(1, [], 2), 6,
       rows=[[0, 1, 2, 3, 4, 5], [0, 1, 2, 5], [0, 1, 2, 3, 5], [0, 2, 3, 4, 5], [0, 3, 4, 5],
             [0, 1, 2, 3, 4, 5]])
matrix("big bird: blocks of 3, the first one global", big_bird_mask(3, 0, 1), big_bird(3, [], 1),
       15, layout=big_bird_layout(15, 3))
matrix("big bird: blocks of 2, the last one shorter", big_bird_mask(2, 0, 2), big_bird(2, [], 2),
       13)
matrix("big bird: no global block", big_bird_mask(2, 0, 0), big_bird(2, [], 0), 10)
matrix("big bird: two global blocks in front, one at the end", big_bird_mask(2, 0, 3),
       big_bird(2, [], 3), 15)
matrix("big bird: two global blocks at each end", big_bird_mask(1, 0, 4), big_bird(1, [], 4), 9)
matrix("big bird: given pairs", big_bird_mask(2, [[1, 4], [2, 5], [3, 1], [4, 1]], 2),
       big_bird(2, [[1, 4], [2, 5], [3, 1], [4, 1]], 2), 14)
matrix("big bird: a block beyond the sequence is full", big_bird_mask(64, 0, 2),
       big_bird(64, [], 2), 5, layout=torch.ones(1, 5, 5))
for name, shape, size, count in (("1 random block", (1, 1, 16, 3), 2, 1),
                                 ("2 random blocks, batch of 2", (2, 1, 24, 2), 2, 2),
                                 ("1 random block of 1", (1, 1, 12, 4), 1, 1)):
    rng = numbers(f"big bird {name}")
    query, key, value = (grid(rng, *shape) for _ in range(3))
    theirs, pairs = hugging_big_bird(query, key, value, size, count, seed=7)
    attended(f"big bird: attention, {name}", big_bird_mask(size, pairs, 2),
             big_bird(size, pairs, 2), query, key, value, theirs, 1e-9,
             "float64 torch operations with the dense matrix; agrees with Hugging Face's "
             "BigBirdBlockSparseAttention in float64, which drew the pairs of blocks.")
golden.save()
