"""conventions.json: what other systems were reported to get wrong, each with the right number.

Every expected number is worked out again in float64 and must be the one stated in the table that
the cases come from (`published`). Cases are named after the behaviour.
"""

import math

import numpy as np

import masks
import positions
from golden import Golden, grid, numbers
from multihead import formula
from reference import attention_case

golden = Golden("conventions", ("torch", "transformers"))
ALL = ("weights", "scores", "logSumExp")
NAN, INF = math.nan, math.inf
EXACT = {"relative": 0, "absolute": 0}


def column(*numbers_):
    return np.array(numbers_, float).reshape(-1, 1)


def case(name, query, key, value, *, published, part="output", **rest):
    """An attention case whose numbers, printed like the published ones, are the published ones."""
    exact = attention_case(golden, name, query, key, value, **rest)
    same(name, exact[part], published)
    return exact


def same(name, computed, published):
    computed, published = np.ravel(computed), np.ravel(np.asarray(published, float))
    assert computed.shape == published.shape, (name, computed)
    for got, want in zip(computed, published):
        text = f"{want:.6g}"
        assert got == want or f"{got:.6g}" == text or abs(got - want) < 5.001e-7, (name, got, want)


def scored(name, scores, value, *, published, query=1.0, **rest):
    """One query of width 1, so that the keys are the scores themselves."""
    return case(name, column(query), column(*scores), column(*value), published=published, **rest)


def even(name, query_length, value, *, published, **rest):
    """All scores 0: the output is the mean of the values that may be seen."""
    value = np.asarray(value, float)
    value = value.reshape(-1, 1) if value.ndim == 1 else value
    return case(name, np.zeros((query_length, 1)), np.zeros((len(value), 1)), value,
                published=published, **rest)


def refuses(name, operation, arguments, options, code, *mentions):
    golden.add(name, operation, arguments, options,
               error={"code": code, "mentions": list(mentions)},
               note="Must be refused before any data is read; the sentence holds these words.")


# A. Masks and empty rows.
half = [[True, False], [False, False]]
exact = even("a row that may see nothing gives 0", 2, [3, 4], mask=masks.keep(half),
             returns=("weights", "logSumExp"), published=[3, 0])
same("weights", exact["weights"], [1, 0, 0, 0])
same("logSumExp", exact["logSumExp"], [0, -INF])
even("a row that may see nothing gives 0, by a bias", 2, [3, 4],
     bias=np.array([[0, -INF], [-INF, -INF]]), returns=("weights", "logSumExp"), published=[3, 0])
for normalizer in ("relu", "sigmoid", "hard"):
    case(f"a row that may see nothing gives 0, {normalizer}", column(1, 1), column(1, 1),
         column(3, 4), mask=masks.keep(half), normalizer=normalizer, returns=("weights",),
         published=[3 if normalizer != "sigmoid" else 3 / (1 + math.exp(-1)), 0])
even("a row that may see nothing is exactly 0", 2, [3, 4], mask=masks.keep([[False] * 2] * 2),
     returns=("weights",), tolerance=EXACT, published=[0, 0])

for label, leaks in {"NaN": (NAN, NAN), "Infinity": (0.0, INF), "-Infinity": (0.0, -INF)}.items():
    scored(f"{label} behind a mask stays there", (0, leaks[0]), (5, leaks[1]),
           mask=masks.keep([True, False]), published=[5])
    scored(f"{label} behind a mask stays there, lengths", (0, leaks[0]), (5, leaks[1]),
           mask=masks.lengths(key=[1]), published=[5])
    scored(f"{label} behind a mask stays there, causal", (0, leaks[0]), (5, leaks[1]),
           mask=masks.causal(), published=[5])
scored("NaN value behind a bias of -Infinity stays there", (0, 0), (5, NAN),
       bias=np.array([0, -INF]), published=[5])
attention_case(golden, "NaN that is seen comes out", column(1), column(0, 0), column(5, NAN))

scored("exclusion does not depend on the size of the logits", (-20000, 0), (1, 9),
       mask=masks.keep([True, False]), published=[1])
scored("a finite bias is only an addend", (-20000, 0), (1, 9), bias=np.array([0.0, -10000.0]),
       published=[9])

scored("softcap before mask", (1, 2), (1, 1000), softcap=0.5, mask=masks.keep([True, False]),
       published=[1])
even("softcap does not reach the padding of a tile", 1, np.ones(65), softcap=1.0, published=[1])

even("causal, 2 queries and 4 keys, first aligned", 2, [0, 1, 2, 3], mask=masks.causal(),
     published=[0, 0.5])
even("causal, 2 queries and 4 keys, last aligned", 2, [0, 1, 2, 3], mask=masks.causal("end"),
     published=[1, 1.5])
even("causal, 4 queries and 2 keys, first aligned", 4, [2, 4], mask=masks.causal(),
     published=[2, 3, 3, 3])
even("causal, 4 queries and 2 keys, last aligned", 4, [2, 4], mask=masks.causal("end"),
     published=[0, 0, 2, 3])

scored("polarity: keep", (0, 0), (1, 3), mask=masks.keep([True, False]), published=[1])
scored("polarity: ignore", (0, 0), (1, 3), mask=masks.ignore([True, False]), published=[3])
scored("polarity: the same as numbers are added", (0, 0), (1, 3), bias=np.array([1.0, 0.0]),
       published=[1.537883])

zeros = np.zeros((2, 2, 1, 1)), np.zeros((2, 2, 2, 1)), np.broadcast_to(column(1, 3), (2, 2, 2, 1))
per_head = np.array([[[True, False]], [[False, True]]])
case("a mask of three axes is heads, queries, keys", *zeros, mask=masks.keep(per_head),
     published=[1, 3, 1, 3])
case("a mask of four axes has the batch first", *zeros, mask=masks.keep(per_head[:, None]),
     published=[1, 1, 3, 3])
even("a mask of width 1 is spread over the keys", 2, [1, 2, 6], mask=masks.keep([[True], [False]]),
     published=[3, 0])
refuses("a mask of width 2 does not fit 3 keys", "attention",
        [np.zeros((2, 1)), np.zeros((3, 1)), np.zeros((3, 1))],
        {"mask": masks.keep([[True, False], [True, True]])}, "shape", "2", "3")
refuses("a bias of width 2 does not fit 3 keys", "attention",
        [np.zeros((2, 1)), np.zeros((3, 1)), np.zeros((3, 1))],
        {"bias": np.zeros((2, 2))}, "shape", "2", "3")

F, T = False, True
for label, kept in {"first": [F, F, T, T], "last": [T, T, F, F], "middle": [T, F, F, T]}.items():
    scores, value = np.full(4, 9.0), np.full(4, 100.0)
    scores[kept], value[kept] = [1, 2], [0, 1]
    scored(f"tile fully masked: {label} of 4 keys", scores, value, mask=masks.keep(kept),
           published=[0.731059])
for visible in ([290, 299], [0, 5], [140, 150], [3, 297]):
    kept = np.zeros(300, bool)
    kept[visible] = True
    scores, value = np.full(300, 9.0), np.full(300, 100.0)
    scores[visible], value[visible] = [1, 2], [0, 1]
    scored(f"tiles fully masked: of 300 keys only {visible[0]} and {visible[1]} are seen", scores,
           value, mask=masks.keep(kept), published=[0.731059])

values = np.arange(5)
even("window of 2 keys including its own", 5, values,
     mask=masks.both(masks.causal(), masks.window(left=1)), published=[0, 0.5, 1.5, 2.5, 3.5])
even("window of 2 keys before its own", 5, values,
     mask=masks.both(masks.causal(), masks.window(left=2)), published=[0, 0.5, 1, 2, 3])
even("window of 1 key to the left and 2 to the right", 5, values, mask=masks.window(1, 2),
     published=[1, 1.5, 2.5, 3, 3.5])

# B. Shapes, strides, sizes.
case("no query", np.zeros((0, 2)), np.ones((3, 2)), np.ones((3, 4)), published=[])
case("no key gives zeros", np.ones((2, 2)), np.zeros((0, 2)), np.zeros((0, 3)),
     published=np.zeros(6))
case("no batch entry", np.zeros((0, 1, 2, 2)), np.zeros((0, 1, 3, 2)), np.zeros((0, 1, 3, 2)),
     published=[])
case("a length of 0 gives zeros", np.zeros((2, 1, 1, 1)), np.zeros((2, 1, 2, 1)),
     np.broadcast_to(column(1, 3), (2, 1, 2, 1)), mask=masks.lengths(key=[2, 0]),
     published=[2, 0])
refuses("value longer than key", "attention",
        [np.zeros((2, 2)), np.zeros((3, 2)), np.zeros((4, 2))], {}, "shape", "3", "4")
refuses("value shorter than key", "attention",
        [np.zeros((2, 2)), np.zeros((7, 2)), np.zeros((5, 2))], {}, "shape", "7", "5")
refuses("query and key of different widths", "attention",
        [np.zeros((2, 4)), np.zeros((3, 6)), np.zeros((3, 6))], {}, "shape", "4", "6")

refuses("heads that do not divide the width", "MultiHeadAttention.create",
        [{"embedDim": 10, "numHeads": 3}], None, "argument", "10", "3")
refuses("more heads than features", "MultiHeadAttention.create",
        [{"embedDim": 2, "numHeads": 8}], None, "argument", "2", "8")
query, key = np.ones((1, 5)), np.stack([np.ones(5), np.zeros(5)])
case("the scale comes from the width itself, not from a padded one", query, key, np.eye(2),
     returns=("weights",), published=[0.903442, 0.096558])

case("grouped heads are consecutive", np.ones((4, 1, 1)), np.ones((2, 1, 1)),
     np.array([1.0, 2.0]).reshape(2, 1, 1), published=[1, 1, 2, 2])
refuses("grouped heads that do not divide", "attention",
        [np.zeros((4, 1, 1)), np.zeros((3, 1, 1)), np.zeros((3, 1, 1))], {}, "shape", "4", "3")

# C. Numerics.
scored("large logits", (1000, 1001), (0, 1), returns=("weights",), part="weights",
       published=[0.268941, 0.731059])
scored("large logits of either sign", (-249.873, -424.127, -460.293, 378.097, -292.615),
       (1, 2, 3, 4, 5), returns=("weights",), part="weights", published=[0, 0, 0, 1, 0])
scored("logits near the end of float32", (3e38, -3e38), (1, 2), returns=("weights",),
       part="weights", published=[1, 0])
scored("small logits", (-1000, -1001), (0, 1), returns=("weights",), part="weights",
       published=[0.731059, 0.268941])

case("cosine of a zero vector is 0", np.zeros((1, 2)), [[1.0, 0.0], [0.0, 2.0]], column(1, 3),
     score="cosine", returns=ALL, part="scores", published=[0, 0])
case("cosine of a zero key is 0", [[1.0, 2.0]], [[0.0, 0.0]], column(7), score="cosine",
     returns=("scores",), part="scores", published=[0])
case("cosine of 3, 4 and 4, 3", [[3.0, 4.0]], [[4.0, 3.0]], column(7), score="cosine",
     returns=("scores",), part="scores", published=[0.96])
# Whether the cosine of 1e-30, 0 is 1 or, by a clamp, 0 is left open; it must be finite.
case("cosine of a tiny vector is finite", [[1e-30, 0.0]], [[1.0, 0.0], [1.0, 0.0]], column(6, 8),
     score="cosine", published=[7])

query, key, value = (grid(numbers(f"dropout {part}"), 1, 2, 3, 4) for part in "qkv")
plain = attention_case(golden, "no dropout", query, key, value)
golden.add("dropout of 0 changes nothing", "attention", [query, key, value],
           {"dropout": {"p": 0, "seed": 1}}, expected={"output": plain["output"]},
           note="The case before it.")
golden.add("dropout of 1 gives zeros", "attention", [query, key, value],
           {"dropout": {"p": 1, "seed": 1}}, expected={"output": np.zeros((1, 2, 3, 4))},
           tolerance=EXACT, note="By definition.")


def layer(name, config, options, *, batch, length, expected=None, tolerance=None, **rest):
    """MultiHeadAttention with bias-free weights drawn for the case."""
    width, rng = config["embedDim"], numbers(name)
    state = {f"{part}_proj.weight": grid(rng, width, width)
             for part in ("q", "k", "v", "out")}
    x = grid(rng, batch, length, width)
    if expected is None:
        output, weights = formula(state, x, x, x, heads=config["numHeads"], **rest)
        expected = {"output": output, "weights": weights}
        options = {**options, "returns": {"weights": True}}
    golden.add(name, "MultiHeadAttention.forward", [config, state, x, None, None], options,
               expected=expected, tolerance=tolerance, note="float64 torch operations.")


layer("dropout outside training changes nothing",
      {"embedDim": 4, "numHeads": 2, "bias": False, "dropout": 0.5}, {"training": False},
      batch=1, length=3)
layer("dropout is off unless training is asked for",
      {"embedDim": 4, "numHeads": 2, "bias": False, "dropout": 0.5}, {}, batch=1, length=3)
layer("dropout of 1 in training gives zeros",
      {"embedDim": 4, "numHeads": 2, "bias": False, "dropout": 1}, {"training": True, "seed": 3},
      batch=1, length=3, expected={"output": np.zeros((1, 3, 4))}, tolerance=EXACT)

query, key, value = (grid(numbers(f"odd {part}"), 2, 3, 5, 5) for part in "qkv")
shut = np.zeros((5, 5))
shut[1] = shut[4] = -INF
attention_case(golden, "odd heads and width, rows of -Infinity", query, key, value, bias=shut,
               returns=("weights",))
layer("odd heads and width, no bias", {"embedDim": 15, "numHeads": 3, "bias": False}, {}, batch=2,
      length=4)

# D. Positions.
def rotated(name, x, at, layout, *, published=None):
    x = np.asarray(x, float)
    output = positions.rotary(x, at, layout=layout)
    if published is not None:
        same(name, output, published)
    golden.add(name, "position.rotary", [x], {"positions": at, "layout": layout},
               expected={"output": output}, note="Hugging Face's rotation, in float64.")
    return output


row = [[1.0, 2.0, 3.0, 4.0]]
rotated("rotary, neighbouring features are a pair", row, [1], "interleaved",
        published=[-1.142640, 1.922076, 2.959851, 4.029800])
rotated("rotary, the two halves are pairs", row, [1], "half",
        published=[-1.984111, 1.959901, 2.462378, 4.019800])
for at in ([5, 3], [1005, 1003]):
    pair = rotated(f"rotary, positions {at[0]} and {at[1]}: only their distance counts",
                   [[1, 2, 3, 4], [4, 3, 2, 1]], at, "half")
    same("relative", pair[0] @ pair[1], [-3.456429])


def table(name, dim, published):
    output = positions.sinusoid(2, dim)
    same(name, output[1], published)
    golden.add(name, "position.sinusoidal", [], {"length": 2, "dim": dim},
               expected={"output": output}, note="float64.")
    return output


first = table("sinusoidal table of width 3", 3, [0.841471, 0.540302, 0.00215443])[0]
same("position 0", first, [0, 1, 0])
table("sinusoidal table of width 5", 5, [0.841471, 0.540302, 0.0251162, 0.999685, 0.000630957])
table("sinusoidal table of width 1", 1, [0.841471])

for heads, published in {8: 0.5 ** np.arange(1, 9), 3: [1 / 16, 1 / 256, 1 / 4],
                         12: [0.707107, 0.353553, 0.176777, 0.0883883]}.items():
    slopes = positions.alibi_slopes(heads)
    same(f"slopes {heads}", slopes[-4:] if heads == 12 else slopes, published)
    golden.add(f"slopes for {heads} heads", "position.alibiSlopes", [heads],
               expected={"output": slopes}, note="float64; agrees with Hugging Face's Bloom.")
case("equal scores, slope 1/2, third query", np.zeros((1, 1)), np.zeros((3, 1)), column(1, 2, 3),
     bias=positions.alibi(8, 3, 3)[0, 2:], returns=("weights",), part="weights",
     published=[0.186324, 0.307196, 0.506480])

golden.save()
