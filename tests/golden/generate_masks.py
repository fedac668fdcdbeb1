"""masks.json: the matrix of every mask, pair by pair from its definition, and the sizes of some."""

import numpy as np

import masks
from golden import Golden

golden = Golden("masks", ())
EXACT = {"relative": 0, "absolute": 0}


def matrix(name, mask, query_length, key_length, heads=None):
    """`maskMatrix` of one mask: [Lq, Lk], or [heads, Lq, Lk] when heads are asked for."""
    allowed = masks.dense(mask, (1, heads or 1, query_length, key_length))[0]
    options = {"queryLength": query_length, "keyLength": key_length}
    if heads:
        options["heads"] = heads
    golden.add(name, "maskMatrix", [mask], options,
               expected={"output": (allowed if heads else allowed[0]).astype(float)},
               tolerance=EXACT, note="Pair by pair from the definition, in Python.")


def rows(name, mask, length, expected):
    """Asserts the keys that a published example lists for each query, then adds the matrix."""
    allowed = masks.dense(mask, (1, 1, length, length))[0, 0]
    assert [np.flatnonzero(row).tolist() for row in allowed] == expected, name
    matrix(name, mask, length, length)


matrix("causal", masks.causal(), 5, 5)
matrix("causal, 1 query at the end of 5 keys", masks.causal("end"), 1, 5)
matrix("causal, end, 5 queries and 2 keys", masks.causal("end"), 5, 2)
matrix("causal, offset -2", masks.causal(-2), 4, 4)
matrix("causal, offset 1", masks.causal(1), 3, 6)
matrix("causal, offset beyond every key", masks.causal(100), 3, 4)
matrix("causal, offset before every key", masks.causal(-100), 3, 4)
matrix("window 2, 1", masks.window(2, 1), 6, 6)
matrix("window, left only", masks.window(left=2), 5, 5)
matrix("window, right only", masks.window(right=0), 4, 6)
matrix("window 1, 1, more queries than keys", masks.window(1, 1), 7, 4)
matrix("strided 3", masks.strided(3), 8, 8)
matrix("strided 3, causal", masks.strided(3, causal=True), 8, 8)
matrix("strided 1 is full", masks.strided(1), 3, 3)
matrix("strided 2, more keys than queries", masks.strided(2), 3, 7)
matrix("dilated, radius 2, dilation 3", masks.dilated(2, 3), 10, 10)
matrix("dilated, radius 0", masks.dilated(0, 2), 4, 4)
matrix("dilated by 1 is a window", masks.dilated(2, 1), 5, 5)
matrix("block local 3", masks.block_local(3), 8, 8)
matrix("block local 1", masks.block_local(1), 4, 4)
matrix("block local, larger than the sequence", masks.block_local(100), 3, 4)
matrix("global 0 and 2", masks.global_tokens(0, 2), 5, 5)
matrix("global, no token", masks.global_tokens(), 3, 3)
matrix("blocks, pairs", masks.block_pairs(3, [[0, 1], [2, 0], [1, 1]]), 8, 8)
matrix("blocks, layout", masks.block_layout(2, [[1, 0, 0], [0, 1, 1], [1, 0, 1]]), 6, 5)
matrix("edges", masks.edges([[1, 2], [0], [], [3, 0, 1]]), 4, 4)
matrix("edges, more keys than queries", masks.edges([[5], [0, 4]]), 2, 6)
matrix("lengths of one entry", masks.lengths(key=[3], query=[2]), 4, 5)
matrix("segments", masks.segments([0, 0, 1, 2, 2], [0, 1, 1, 2]), 5, 4)
matrix("keep", masks.keep([[True, False, True], [False, True, True]]), 2, 3)
matrix("ignore", masks.ignore([[True, False, True], [False, True, True]]), 2, 3)
matrix("keep, one row for all", masks.keep([True, False, True, False]), 3, 4)
matrix("and", masks.both(masks.causal(), masks.window(2, 2), masks.strided(2)), 7, 7)
matrix("or", masks.either(masks.window(1, 0), masks.global_tokens(3), masks.strided(4)), 7, 7)
matrix("not", masks.complement(masks.window(1, 1)), 5, 6)
matrix("not not", masks.complement(masks.complement(masks.causal(-1))), 4, 4)
matrix("neither causal nor global",
       masks.complement(masks.either(masks.causal(), masks.global_tokens(4))), 6, 6)
matrix("per head", masks.per_head(masks.causal(), masks.window(0, 1)), 4, 4, heads=2)
matrix("per head inside and",
       masks.both(masks.window(2, 2), masks.per_head(masks.causal(), masks.complement(
           masks.causal()))), 5, 5, heads=2)
matrix("the same for every head", masks.block_local(2), 3, 3, heads=3)
matrix("keep [H, Lq, Lk]", masks.keep([[[True, False], [True, True]],
                                       [[False, True], [True, False]]]), 2, 2, heads=2)
matrix("causal or a window across a tile edge",
       masks.both(masks.causal(), masks.window(left=3)), 66, 66)
matrix("no query", masks.causal(), 0, 3)
matrix("no key", masks.window(1, 1), 2, 0)

# Worked rows from the papers' own codes: Sparse Transformer and Longformer patterns, composed.
rows("local 2 or strided 3, causal",
     masks.either(masks.both(masks.causal(), masks.window(left=1)), masks.strided(3, causal=True)),
     7, [[0], [0, 1], [1, 2], [0, 2, 3], [1, 3, 4], [2, 4, 5], [0, 3, 5, 6]])
rows("window 1 or global 0", masks.either(masks.window(1, 1), masks.global_tokens(0)), 6,
     [[0, 1, 2, 3, 4, 5], [0, 1, 2], [0, 1, 2, 3], [0, 2, 3, 4], [0, 3, 4, 5], [0, 4, 5]])

# How many pairs a mask holds, against the closed forms.
local, stride, tokens = masks.window(1, 1), masks.dilated(1, 2), masks.global_tokens(0, 1)
SIZES = {
    "full": (masks.window(), 256, 1048576),
    "local, one on each side": (local, 46, 3070),
    "every second within two": (stride, 44, 3068),
    "two global tokens": (tokens, 60, 4092),
    "local, strided and global": (masks.either(local, stride, tokens), 124, 9196),
    "causal": (masks.causal(), 136, 524800),
}
for name, (mask, small, large) in SIZES.items():
    for length, pairs in ((16, small), (1024, large)):
        assert masks.dense(mask, (1, 1, length, length)).sum() == pairs, name
        golden.add(f"pairs: {name}, {length} tokens", "maskStats", [mask],
                   {"queryLength": length, "keyLength": length},
                   expected={"pairs": pairs, "density": pairs / length**2},
                   note="Counted pair by pair in Python.")

golden.save()
