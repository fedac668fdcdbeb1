"""attention.json: every option of exact attention, by torch in float64."""

import functools

import numpy as np
import torch

import masks
from d2l_classes import d2l
from golden import Golden, grid, numbers, tensor, uniform
from reference import attention_case

golden = Golden("attention", ("torch", "d2l"))
add = functools.partial(attention_case, golden)
ALL = ("weights", "scores", "logSumExp")


def inputs(name, leading, query_length, key_length, width, value_width=None, *, make=grid,
           key_leading=None):
    """Query, key and value of a case, drawn from the stream that its name starts."""
    rng = numbers(name)
    below = leading if key_leading is None else key_leading
    return (make(rng, *leading, query_length, width), make(rng, *below, key_length, width),
            make(rng, *below, key_length, value_width or width))


def case(name, leading, query_length, key_length, width, value_width=None, *, make=grid,
         key_leading=None, **rest):
    drawn = inputs(name, leading, query_length, key_length, width, value_width, make=make,
                   key_leading=key_leading)
    return add(name, *drawn, **rest)


# Shapes.
case("one head, no leading axis", (), 3, 4, 5, returns=ALL)
case("one query and one key", (1, 1), 1, 1, 1, returns=ALL)
case("heads only", (2,), 3, 4, 4, returns=("weights",))
case("batch and heads, more keys than queries", (2, 3), 2, 5, 3, returns=ALL)
case("more queries than keys", (1, 2), 6, 2, 3, returns=("weights",))
case("value wider than key", (1, 2), 3, 4, 2, 7)
case("value narrower than key", (1, 2), 3, 4, 9, 1)
case("width 5", (2, 1), 4, 4, 5, 5, make=uniform)
case("width 33, value width 17", (1, 1), 3, 4, 33, 17)
case("five axes", (2, 1, 2), 2, 3, 4, 3)
case("1025 keys", (1,), 3, 1025, 3, 1, returns=("logSumExp",))
case("130 tokens, causal", (1,), 130, 130, 3, 1, mask=masks.causal(), returns=("logSumExp",))
case("70 tokens, window across a tile edge", (1,), 70, 70, 3, 2, mask=masks.window(2, 1))

# Heads laid out as [batch, tokens, heads, width], read through strides, without a copy.
drawn = inputs("heads beside the features, through strides", (2, 3), 4, 4, 3)
wanted = add("heads beside the features, copied", *drawn, returns=("weights",))
golden.add(
    "heads beside the features, through strides", "attention",
    [{"shape": [2, 3, 4, 3], "strides": [36, 3, 9, 1],
      "data": tensor(x.transpose(0, 2, 1, 3))["data"]} for x in drawn],
    {"returns": {"weights": True}},
    expected={part: wanted[part] for part in ("output", "weights")},
    note="The case before it, its data in the order [2, 4, 3, 3].")

# Zero lengths.
zero = [np.zeros(shape) for shape in ((2, 0, 3), (2, 4, 3), (2, 4, 2))]
add("no query", *zero, returns=ALL)
add("no key", np.ones((2, 2, 3)), np.zeros((2, 0, 3)), np.zeros((2, 0, 4)), returns=ALL)
add("no batch entry", np.zeros((0, 2, 3, 4)), np.zeros((0, 2, 5, 4)), np.zeros((0, 2, 5, 4)))
add("no head", np.zeros((2, 0, 3, 4)), np.zeros((2, 0, 5, 4)), np.zeros((2, 0, 5, 4)))

# Leading axes that broadcast, and grouped heads.
rng = numbers("broadcast")
add("query shared by the batch", grid(rng, 1, 2, 3, 4), grid(rng, 3, 2, 4, 4),
    grid(rng, 3, 2, 4, 4))
add("key and value without leading axes", grid(rng, 2, 2, 3, 4), grid(rng, 4, 4), grid(rng, 4, 2))
add("query without leading axes", grid(rng, 3, 4), grid(rng, 2, 4, 4), grid(rng, 2, 4, 3))
add("leading axes broadcast both ways", grid(rng, 2, 1, 3, 4), grid(rng, 1, 3, 4, 4),
    grid(rng, 1, 3, 4, 2), returns=("weights",))
add("value without leading axes", grid(rng, 2, 3, 4), grid(rng, 2, 4, 4), grid(rng, 4, 3))
case("grouped heads, 4 to 2", (2, 4), 2, 3, 3, key_leading=(2, 2), returns=ALL)
case("grouped heads, 6 to 2, no batch axis", (6,), 2, 3, 4, key_leading=(2,))
case("one key and value head for all", (1, 4), 3, 4, 3, key_leading=(1, 1))
case("grouped heads, 6 to 3, causal", (1, 6), 4, 4, 3, key_leading=(1, 3), mask=masks.causal())
case("grouped heads with a mask per query head", (1, 4), 3, 3, 2, key_leading=(1, 2),
     mask=masks.per_head(masks.causal(), masks.window(0, 0), masks.window(1, 1), masks.causal(1)))

# Scores.
case("scale 1", (1, 2), 3, 4, 5, scale=1.0, returns=ALL)
case("scale 0.125 at width 6", (1, 1), 3, 4, 6, scale=0.125, returns=("scores",))
case("scale 0", (1, 1), 2, 4, 3, scale=0.0, returns=("weights",))
case("negative scale", (1, 1), 2, 4, 3, scale=-1.5, returns=ALL)
case("score dot", (1, 2), 3, 4, 5, score="dot", returns=ALL)
case("score dot with a scale", (1, 1), 3, 4, 5, score="dot", scale=0.5, returns=("scores",))
case("score cosine", (1, 2), 3, 4, 5, score="cosine", returns=ALL, make=uniform)
case("score cosine, width 33", (1, 1), 2, 3, 33, 2, score="cosine", returns=("scores",))
case("score cosine with a scale", (1, 1), 3, 4, 4, score="cosine", scale=8.0, returns=("scores",))
case("score cosine, grouped heads, causal", (1, 4), 3, 3, 4, key_leading=(1, 2), score="cosine",
     mask=masks.causal())


def additive(rng, hidden, query_width, key_width):
    return {"additive": {"queryWeight": grid(rng, hidden, query_width),
                         "keyWeight": grid(rng, hidden, key_width), "vector": grid(rng, hidden)}}


def bilinear(rng, query_width, key_width):
    return {"bilinear": {"weight": grid(rng, query_width, key_width)}}


name = "score additive"
score = additive(numbers(name + " weights"), 6, 4, 4)
query, key, value = inputs(name, (2,), 3, 4, 4)
exact = add(name, query, key, value, score=score, returns=ALL,
            note="Equal to D2L's AdditiveAttention in float64.")
torch.set_default_dtype(torch.float64)
module = d2l.AdditiveAttention(num_hiddens=6, dropout=0.0)
query, key, value = (torch.tensor(x) for x in (query, key, value))
module(query, key, value, None)  # the first call gives the lazy layers their widths
weights = score["additive"]
with torch.no_grad():
    module.W_q.weight.copy_(torch.tensor(weights["queryWeight"]))
    module.W_k.weight.copy_(torch.tensor(weights["keyWeight"]))
    module.w_v.weight.copy_(torch.tensor(weights["vector"])[None])
assert np.allclose(module(query, key, value, None).detach(), exact["output"], atol=1e-12)
torch.set_default_dtype(torch.float32)

rng = numbers("additive widths")
add("score additive, key wider than query", grid(rng, 1, 2, 3, 5), grid(rng, 1, 2, 4, 7),
    grid(rng, 1, 2, 4, 2), score=additive(rng, 17, 5, 7), returns=("scores",))
case("score additive, grouped heads, lengths", (2, 4), 2, 3, 3, key_leading=(2, 2),
     score=additive(numbers("additive grouped"), 5, 3, 3), mask=masks.lengths(key=[2, 3]))

name = "score bilinear"
score = bilinear(numbers(name + " weights"), 5, 5)
query, key, value = inputs(name, (1, 2), 3, 4, 5)
exact = add(name, query, key, value, score=score, returns=ALL,
            note="Scores equal to torch.nn.Bilinear in float64.")
layer = torch.nn.Bilinear(5, 5, 1, bias=False).double()
with torch.no_grad():
    layer.weight.copy_(torch.tensor(score["bilinear"]["weight"])[None])
    pairs = layer(torch.tensor(query).unsqueeze(-2).expand(1, 2, 3, 4, 5).contiguous(),
                  torch.tensor(key).unsqueeze(-3).expand(1, 2, 3, 4, 5).contiguous())
assert np.allclose(pairs.squeeze(-1), exact["scores"], atol=1e-12)

rng = numbers("bilinear widths")
add("score bilinear, query and key of different widths", grid(rng, 2, 3, 3), grid(rng, 2, 4, 6),
    grid(rng, 2, 4, 2), score=bilinear(rng, 3, 6), returns=("scores",))
case("score bilinear with a scale, causal", (1, 1), 4, 4, 3,
     score=bilinear(numbers("bilinear causal"), 3, 3), scale=0.5, mask=masks.causal())

# Softcap: after scale, before bias and mask.
case("softcap", (1, 2), 3, 4, 5, softcap=0.5, returns=ALL)
case("softcap with scale and bias", (1, 1), 3, 4, 3, scale=4.0, softcap=2.0,
     bias=grid(numbers("softcap bias"), 3, 4, limit=3), returns=ALL)
case("softcap and causal", (1, 1), 4, 4, 3, scale=10.0, softcap=1.0, mask=masks.causal(),
     returns=ALL)
case("softcap 0 is off", (1, 1), 2, 3, 3, softcap=0.0, returns=("scores",))

# Bias, right-aligned.
for label, shape in {"[Lq, Lk]": (3, 4), "[Lk]": (4,), "[Lq, 1]": (3, 1), "[H, 1, Lk]": (2, 1, 4),
                     "[H, Lq, Lk]": (2, 3, 4), "[B, 1, 1, Lk]": (2, 1, 1, 4),
                     "[1, H, Lq, Lk]": (1, 2, 3, 4), "[B, H, Lq, Lk]": (2, 2, 3, 4)}.items():
    case(f"bias {label}", (2, 2), 3, 4, 3, 2, bias=grid(numbers(label), *shape, limit=2),
         returns=("weights",) if len(shape) < 3 else ())
excluding = grid(numbers("excluding"), 3, 4)
excluding[0, 1] = excluding[1, 0] = excluding[1, 3] = excluding[2, 3] = -np.inf
case("bias of -Infinity excludes", (1, 2), 3, 4, 3, bias=excluding, returns=ALL)
excluding = excluding.copy()
excluding[1] = -np.inf
case("bias of -Infinity over a whole row", (1, 2), 3, 4, 3, bias=excluding, returns=ALL)
case("bias and mask together", (1, 1), 3, 4, 3, bias=excluding,
     mask=masks.window(1, 1), returns=ALL)
case("bias with grouped heads", (1, 4), 2, 3, 2, key_leading=(1, 2),
     bias=grid(numbers("bias grouped"), 4, 2, 3))

# Matrices of what may be seen.
rng = numbers("matrices")
seen = rng.random((3, 4)) < 0.6
seen[:, 1] = True
case("keep [Lq, Lk]", (2, 2), 3, 4, 3, mask=masks.keep(seen), returns=("weights",))
case("ignore [Lq, Lk]", (2, 2), 3, 4, 3, mask=masks.ignore(seen & (np.arange(4) != 1)))
case("keep [Lk]", (1, 2), 3, 4, 3, mask=masks.keep([True, False, True, True]))
case("keep [Lq, 1]", (1, 2), 3, 4, 3, mask=masks.keep([[True], [False], [True]]), returns=ALL)
case("keep [H, 1, Lk]", (2, 2), 3, 4, 3, mask=masks.keep(seen[:2, None]))
case("keep [B, 1, 1, Lk]", (2, 2), 3, 4, 3, mask=masks.keep(seen[:2, None, None]))
case("keep [B, H, Lq, Lk]", (2, 2), 3, 4, 3, mask=masks.keep(rng.random((2, 2, 3, 4)) < 0.5),
     returns=ALL)
case("ignore [H, Lq, Lk] without a batch axis", (2,), 3, 4, 3,
     mask=masks.ignore(rng.random((2, 3, 4)) < 0.4))
case("keep everything", (1,), 3, 4, 3, mask=masks.keep(np.ones((3, 4))))
case("keep nothing", (1,), 2, 3, 3, mask=masks.keep(np.zeros((2, 3))), returns=ALL)

# Masks by rule.
for offset in (0, -1, 2, "end"):
    case(f"causal, offset {offset}, as many queries as keys", (1, 2), 4, 4, 2,
         mask=masks.causal(offset), returns=("weights",))
    case(f"causal, offset {offset}, 3 queries and 5 keys", (1, 1), 3, 5, 3,
         mask=masks.causal(offset), returns=("weights",))
    case(f"causal, offset {offset}, 5 queries and 3 keys", (1, 1), 5, 3, 3,
         mask=masks.causal(offset), returns=ALL)
case("window of one key on each side", (1, 2), 6, 6, 3, mask=masks.window(1, 1),
     returns=("weights",))
case("window, left only", (1, 1), 5, 5, 3, mask=masks.window(left=1), returns=("weights",))
case("window, right only", (1, 1), 5, 5, 3, mask=masks.window(right=1), returns=("weights",))
case("window without sides sees everything", (1, 1), 3, 4, 3, mask=masks.window())
case("window 0, 0 sees itself", (1, 1), 4, 4, 3, mask=masks.window(0, 0))
case("window beyond the last key", (1, 1), 6, 3, 3, mask=masks.window(1, 0), returns=ALL)
case("key lengths", (3, 2), 2, 4, 3, mask=masks.lengths(key=[4, 1, 2]), returns=("weights",))
case("key and query lengths", (2, 2), 3, 4, 3, mask=masks.lengths(key=[3, 2], query=[2, 3]),
     returns=ALL)
case("query lengths alone", (2, 1), 3, 3, 2, mask=masks.lengths(query=[1, 3]))
case("a key length of 0", (2, 1), 2, 3, 2, mask=masks.lengths(key=[0, 3]), returns=ALL)
case("segments, packed documents", (1, 2), 6, 6, 3,
     mask=masks.segments([0, 0, 1, 1, 1, 2], [0, 0, 1, 1, 1, 2]), returns=("weights",))
case("segments, more keys than queries, one segment without keys", (1, 1), 3, 5, 3,
     mask=masks.segments([4, 7, 9], [7, 4, 7, 4, 4]), returns=ALL)
case("segments per batch entry", (2, 1), 3, 3, 3,
     mask=masks.segments([[0, 0, 1], [0, 1, 1]], [[0, 0, 1], [0, 1, 1]]))
case("strided", (1, 1), 6, 6, 3, mask=masks.strided(3), returns=("weights",))
case("strided and causal", (1, 1), 6, 6, 3, mask=masks.strided(2, causal=True))
case("dilated", (1, 1), 7, 7, 3, mask=masks.dilated(2, 2), returns=("weights",))
case("blocks of neighbours, the last one short", (1, 1), 7, 7, 3, mask=masks.block_local(3))
case("blocks of neighbours, more keys than queries", (1, 1), 3, 7, 3, mask=masks.block_local(2))
case("global tokens", (1, 1), 6, 6, 3, mask=masks.global_tokens(0, 3), returns=("weights",))
case("global tokens, more keys than queries", (1, 1), 3, 5, 3, mask=masks.global_tokens(4, 1),
     returns=ALL)
case("blocks as pairs", (1, 1), 6, 6, 3,
     mask=masks.block_pairs(2, [[0, 0], [1, 2], [1, 0], [2, 1]]))
case("blocks as pairs, a block row without keys", (1, 1), 5, 6, 3,
     mask=masks.block_pairs(2, [[0, 1], [2, 2]]), returns=ALL)
case("blocks as a layout of 0 and 1", (1, 1), 5, 5, 3,
     mask=masks.block_layout(2, [[1, 0, 1], [0, 1, 0], [1, 1, 1]]))
case("blocks as a layout of booleans", (1, 1), 3, 7, 3,
     mask=masks.block_layout(3, [[True, False, True]]))
case("edges of a graph", (1, 2), 5, 5, 3,
     mask=masks.edges([[0, 1], [1, 0, 2], [2], [], [3, 0, 4]]), returns=ALL)

# Masks combined.
case("causal and lengths", (2, 1), 4, 4, 3,
     mask=masks.both(masks.causal(), masks.lengths(key=[2, 4])), returns=("weights",))
case("causal and window", (1, 1), 6, 6, 3, mask=masks.both(masks.causal(), masks.window(2, 2)))
case("causal and segments", (1, 1), 6, 6, 3,
     mask=masks.both(masks.causal(), masks.segments([0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1])))
case("window or global", (1, 1), 7, 7, 3,
     mask=masks.either(masks.window(1, 1), masks.global_tokens(0)), returns=("weights",))
case("window or strided or global", (1, 1), 8, 8, 3,
     mask=masks.either(masks.window(1, 1), masks.dilated(1, 2), masks.global_tokens(0, 1)))
case("not causal", (1, 1), 4, 4, 3, mask=masks.complement(masks.causal()), returns=ALL)
case("causal and not a window", (1, 1), 6, 6, 3,
     mask=masks.both(masks.causal(), masks.complement(masks.window(1, 1))), returns=ALL)
case("a mask per head", (2, 3), 4, 4, 2,
     mask=masks.per_head(masks.causal(), masks.window(1, 1), masks.strided(2)),
     returns=("weights",))
case("a mask per head and lengths", (2, 2), 4, 4, 2,
     mask=masks.both(masks.per_head(masks.causal(), masks.complement(masks.causal(-1))),
                     masks.lengths(key=[3, 4])))
case("one mask only, in and", (1, 1), 3, 3, 2, mask=masks.both(masks.causal()))

# Normalisers.
for normalizer in ("relu", "sigmoid", "hard"):
    case(f"normaliser {normalizer}", (1, 2), 3, 5, 4, normalizer=normalizer, returns=("weights",))
    case(f"normaliser {normalizer}, causal", (1, 2), 4, 4, 4, normalizer=normalizer,
         mask=masks.causal(), returns=("weights", "scores"))
    case(f"normaliser {normalizer}, an empty row", (1, 1), 3, 3, 4, normalizer=normalizer,
         mask=masks.keep([[False] * 3, [True] * 3, [False, True, False]]), returns=("weights",))
    case(f"normaliser {normalizer}, grouped heads, score dot", (1, 4), 2, 3, 3,
         key_leading=(1, 2), normalizer=normalizer, score="dot")
add("normaliser relu, no positive score", [[1.0, 0.5]], [[-1.0, 0.0], [-0.5, -1.0]],
    [[3.0], [4.0]], normalizer="relu", returns=("weights", "scores"))
add("normaliser hard, the first of equal scores wins", [[2.0], [-1.0], [0.0]],
    [[1.0], [3.0], [3.0], [1.0]], [[1.0], [2.0], [3.0], [4.0]], normalizer="hard",
    returns=("weights",))
add("normaliser hard, ties behind a mask", [[1.0]], [[3.0], [2.0], [3.0], [3.0]],
    [[1.0], [2.0], [3.0], [4.0]], normalizer="hard",
    mask=masks.keep([[False, True, True, True]]), returns=("weights",))
case("normaliser sigmoid with bias", (1, 1), 2, 3, 3, normalizer="sigmoid",
     bias=grid(numbers("sigmoid bias"), 2, 3, limit=4), returns=("weights",))

# Sinks: one more logit in the denominator, which has no value.
case("sinks", (2, 3), 3, 4, 3, sinks=grid(numbers("sinks"), 3, limit=2), returns=("weights",))
case("sinks, their part in logSumExp", (1, 2), 3, 4, 3, sinks=np.array([0.5, -1.0]),
     returns=("weights", "logSumExp"))
case("a sink far above the scores", (1, 1), 2, 3, 3, sinks=np.array([30.0]), returns=("weights",))
case("a sink far below the scores", (1, 1), 2, 3, 3, sinks=np.array([-60.0]), returns=("weights",))
case("sinks, causal, grouped heads", (1, 4), 4, 4, 3, key_leading=(1, 2),
     sinks=np.array([0.0, 1.0, -1.0, 2.0]), mask=masks.causal(), returns=("weights",))
case("sinks and an empty row", (1, 2), 3, 3, 3, sinks=np.array([0.25, -0.5]),
     mask=masks.causal(-1), returns=("weights",))
case("sinks without a batch axis", (2,), 2, 3, 3, sinks=np.array([1.0, 0.0]))

# What NaN and the infinities do: nothing from behind a mask, everything from in front of it.
query, key, value = inputs("not a number", (1, 1), 3, 4, 3)
key[..., 3, :] = np.nan
value[..., 3, :] = np.nan
add("NaN in a masked key and value", query, key, value, mask=masks.lengths(key=[3]), returns=ALL)
key, value = key.copy(), value.copy()
key[..., 3, :] = 0.25
value[..., 3, :] = [np.inf, -np.inf, np.nan]
add("infinities in a value that a bias excludes", query, key, value,
    bias=np.array([0.0, 1.0, 0.0, -np.inf]))
add("infinities in a value that hard attention sees only behind causality",
    query, key[..., 1:, :], value[..., 1:, :], mask=masks.causal(-1), normalizer="hard")
key = key.copy()
key[..., 2, 1] = np.nan
add("NaN in a key that is seen", query, key, np.ones((1, 1, 4, 2)), mask=masks.causal(),
    returns=("weights", "logSumExp"))

golden.save()
