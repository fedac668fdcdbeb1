"""linear_attention.json: attention by products of features, causal ones with their states."""

import functools
import math

import numpy as np
import torch

import other_classes  # noqa: F401 (lets fast_transformers be imported)
from fast_transformers.attention.linear_attention import LinearAttention
from fast_transformers.feature_maps import elu_feature_map
from fast_transformers.feature_maps.base import ActivationFunctionFeatureMap
from fast_transformers.feature_maps.fourier_features import RandomFourierFeatures
from fast_transformers.masking import FullMask, LengthMask
from fast_transformers.recurrent.attention.self_attention.linear_attention import (
    RecurrentLinearAttention)
from performer_pytorch.performer_pytorch import (FastAttention, causal_linear_attention_noncuda,
                                                 linear_attention, softmax_kernel)

from agreement import add_agreed, drawn_until
from golden import Golden, grid, numbers
from reference import convert

golden = Golden("linear_attention", ("torch", "pytorch-fast-transformers", "performer-pytorch"))
torch.set_grad_enabled(False)
FLOOR = 1e-3  # of the size of a denominator of features with signs


def as_four(x):
    return convert(x[(None,) * (4 - x.ndim)], torch.float64)


# The definition: a weight for every pair of a query and a key.
def unit(x):
    return x / (x.norm(dim=-1, keepdim=True) + 1e-6)


def fourier(x, projection, sigma):
    angles = sigma * unit(x) @ projection.T
    return torch.cat([angles.sin(), angles.cos()], -1) / math.sqrt(len(projection))


SIMPLE = {"elu": lambda x: torch.where(x > 0, x + 1, x.clamp(max=0).exp()),
          "relu": lambda x: x.clamp(min=0), "identity": lambda x: x}


def pair_weights(query, key, kind, options, number):
    """phi(q) . phi(k) for all pairs; the scale of FAVOR's weights may be any for each query."""
    if kind in SIMPLE:
        return SIMPLE[kind](query) @ SIMPLE[kind](key).transpose(-1, -2)
    if kind == "fourier":
        projection = number(options["projection"])
        query, key = (fourier(x, projection, options.get("sigma", 1)) for x in (query, key))
        return query @ key.transpose(-1, -2)
    projection, root = number(options["projection"]), query.shape[-1] ** 0.25
    query, key = ((x / root) @ projection.T - (x / root).square().sum(-1, keepdim=True) / 2
                  for x in (query, key))
    exponents = query.unsqueeze(-2) + key.unsqueeze(-3)
    top = exponents.amax((-1, -2), keepdim=True) if exponents.numel() else 0
    return (exponents - top).exp().sum(-1)


def define(query, key, value, kind, options, causal, lengths, state, number):
    query, key, value = (number(x) for x in (query, key, value))
    seen = torch.ones(*key.shape[:-1], dtype=torch.bool)
    if lengths is not None:
        seen = seen & (torch.arange(key.shape[-2]) < torch.tensor(lengths).reshape(-1, 1, 1))
    if kind == "softmax":
        weights = torch.where(seen.unsqueeze(-1), key, number(-math.inf)).softmax(-2)
        weights = query.softmax(-1) @ weights.nan_to_num().transpose(-1, -2)
    else:
        weights = pair_weights(query, key, kind, options, number)
        weights = torch.where(seen.unsqueeze(-2), weights, number(0.0))
    if causal:
        weights = weights.tril()
    output, total = weights @ value, weights.sum(-1, keepdim=True)
    parts = {}
    if causal and kind != "favor":  # the scale of FAVOR's is free
        phi = SIMPLE[kind] if kind in SIMPLE else functools.partial(
            fourier, projection=number(options["projection"]), sigma=options.get("sigma", 1))
        before = number(0.0) if state is None else number(state)
        if state is not None:
            output = output + phi(query) @ before[..., :-1]
            total = total + phi(query) @ before[..., -1:]
        ones = torch.ones(*value.shape[:-1], 1, dtype=value.dtype)
        parts["state"] = before + phi(key).transpose(-1, -2) @ torch.cat([value, ones], -1)
    if kind == "fourier":
        total = torch.where(total.abs() < FLOOR, torch.where(total < 0, -FLOOR, FLOOR), total)
    if kind not in ("identity", "softmax"):
        output = torch.where(total == 0, torch.zeros_like(output), output / total)
    return {"output": output, **parts}


# The others. Idiap's tensors are [batch, tokens, heads, features].
def idiap_map(kind, options):
    if kind == "elu":
        return elu_feature_map
    if kind == "relu":
        return ActivationFunctionFeatureMap.factory(torch.relu)
    projection = convert(options["projection"], torch.float64)
    features = RandomFourierFeatures(projection.shape[1], n_dims=2 * len(projection),
                                     softmax_temp=options.get("sigma", 1) ** 2,
                                     deterministic_eval=True).eval()
    features.omega = projection.T
    return lambda _: features


def idiap(query, key, value, kind, options, causal, lengths, state):
    shape = (*query.shape[:-1], value.shape[-1])
    query, key, value = (as_four(x).transpose(1, 2) for x in (query, key, value))
    if kind == "fourier":
        query, key = unit(query), unit(key)
    feature_map, width = idiap_map(kind, options), query.shape[-1]

    def turned(sums):  # theirs are cosines, then sines
        halves = sums.chunk(2 if kind == "fourier" else 1, -2)
        return torch.cat(halves[::-1], -2)

    if not causal:
        mask = FullMask(query.shape[1], key.shape[1])
        valid = LengthMask(torch.tensor(lengths or [key.shape[1]] * len(key)),
                           max_len=key.shape[1])
        output = LinearAttention(width, feature_map, eps=0.0)(
            query, key, value, mask, LengthMask(torch.tensor([query.shape[1]] * len(query))), valid)
        return {"output": output.transpose(1, 2).reshape(shape)}
    step = RecurrentLinearAttention(width, feature_map, eps=0.0)
    memory = None
    if state is not None:
        state = turned(as_four(state))
        memory = [state[..., :-1], state[..., -1]]
    outputs = []
    for i in range(query.shape[1]):
        output, memory = step(query[:, i], key[:, i], value[:, i], state=memory)
        outputs.append(output)
    after = torch.cat([memory[0], memory[1].unsqueeze(-1)], -1)
    after = turned(after)
    return {"output": torch.stack(outputs, 2).reshape(shape),
            "state": after.reshape(*shape[:-2], *after.shape[-2:])}


def performer(query, key, value, kind, options, causal, lengths, state):
    shape = (*query.shape[:-1], value.shape[-1])
    query, key, value = (as_four(x) for x in (query, key, value))
    if kind == "softmax":
        output = FastAttention(query.shape[-1], nb_features=1, no_projection=True)(
            query, key, value)
        return {"output": output.reshape(shape)}
    phi = functools.partial(softmax_kernel, eps=0.0, projection_matrix=convert(
        options["projection"], torch.float64))
    outputs = []
    for b in range(len(query)):  # its padding still counts in the denominator: cut keys off instead
        kept = slice(lengths[b] if lengths else None)
        parts = (phi(query[b:b + 1], is_query=True), phi(key[b:b + 1, :, kept], is_query=False),
                 value[b:b + 1, :, kept])
        outputs.append(causal_linear_attention_noncuda(*parts, eps=0.0) if causal
                       else linear_attention(*parts))
    return {"output": torch.cat(outputs).reshape(shape)}


SOURCES = {
    idiap: "Idiap's fast_transformers in float64 with eps 0: LinearAttention, and "
           "RecurrentLinearAttention token by token for the causal ones.",
    performer: "performer-pytorch's own functions in float64 with eps 0.",
    None: "float64 torch operations, pair by pair.",
}


def case(name, kind, leading=(), length=6, width=3, *, key_length=None, value_width=None,
         features=None, projection=None, sigma=None, causal=False, lengths=None, state=None,
         inputs=None, limit=1.0, source=idiap, tolerance=None, note=""):
    def draw(stream):
        rng = numbers(stream)
        values = inputs or (grid(rng, *leading, length, width, limit=limit),
                            grid(rng, *leading, key_length or length, width, limit=limit),
                            grid(rng, *leading, key_length or length, value_width or width))
        return values, {} if features is None else {"projection": grid(
            rng, features, width, limit=2)}

    def steady(values, drawn):  # features of both signs must not cancel by chance
        if kind != "fourier" or inputs:
            return True
        options = {**drawn, "sigma": sigma or 1}
        weights = pair_weights(*(convert(x, torch.float64) for x in values[:2]), kind, options,
                               lambda x: convert(x, torch.float64))
        if lengths is not None:
            valid = torch.arange(weights.shape[-1]) < torch.tensor(lengths).reshape(-1, 1, 1, 1)
            weights = weights * valid
        total = (weights.tril() if causal else weights).sum(-1)
        return bool((total.abs() > 0.6).all())

    (query, key, value), options = drawn_until(steady, draw, name)
    if projection is not None:
        options["projection"] = projection
    if sigma is not None:
        options["sigma"] = sigma
    public = {"featureMap": {kind: options} if options else kind}
    if causal:
        public["causal"] = True
    if lengths is not None:
        public["keyLengths"] = lengths
    if state is not None:
        public["state"] = state
    values = (query, key, value, kind, options, causal, lengths, state)
    theirs = None if source is None else source(*values)
    add_agreed(golden, name, "linearAttention", [query, key, value], public,
               define=lambda number: define(*values, number), theirs=theirs, tolerance=tolerance,
               note=f"{SOURCES[source]} {note}".strip())
    return query, key, value, theirs


def favor_continued(name, leading, length, cut, width, features, c):
    """The state before holds exp(-c) times the sums, and c; any c means the same."""
    rng = numbers(name)
    query, key = (grid(rng, *leading, length, width) for _ in range(2))
    value, projection = grid(rng, *leading, length, width + 1), grid(rng, features, width, limit=2)
    rows = key[..., :cut, :] / width**0.25
    phi = np.exp(rows @ projection.T - (rows**2).sum(-1, keepdims=True) / 2) / math.sqrt(features)
    ones = np.ones((*leading, cut, 1))
    sums = np.exp(-c) * np.swapaxes(phi, -1, -2) @ np.concatenate([value[..., :cut, :], ones], -1)
    last = np.zeros((*leading, 1, width + 2))
    last[..., -1] = c
    state = np.concatenate([sums, last], -2).astype(np.float32).astype(np.float64)
    values = (query, key, value, "favor", {"projection": projection}, True, None, None)
    add_agreed(golden, name, "linearAttention", [x[..., cut:, :] for x in (query, key, value)],
               {"featureMap": {"favor": {"projection": projection}}, "causal": True,
                "state": state},
               define=lambda number: {"output": define(*values, number)["output"][..., cut:, :]},
               theirs={"output": performer(*values)["output"][..., cut:, :]},
               note=f"{SOURCES[performer]} The whole sequence at once; the state is of its "
                    f"first {cut} keys.")


def continued(name, kind, leading, length, cut, width, **options):
    """The first tokens in one call, the others in a second one that is given the first's state."""
    rng = numbers(name)
    whole = [grid(rng, *leading, length, width) for _ in range(2)]
    whole.append(grid(rng, *leading, length, width + 1))
    *_, first = case(f"{name}: the first {cut} tokens", kind, causal=True,
                     inputs=[x[..., :cut, :] for x in whole], **options)
    state = first["state"].numpy().astype(np.float32).astype(np.float64)
    *_, second = case(f"{name}: the others", kind, causal=True, state=state,
                      inputs=[x[..., cut:, :] for x in whole], **options)
    *_, both = case(f"{name}: at once", kind, causal=True, inputs=whole, **options)
    joined = torch.cat([first["output"], second["output"]], -2)
    assert torch.allclose(joined, both["output"], atol=1e-6)


case("elu", "elu")
case("elu: 2 heads, batch of 2, lengths 5 and 2", "elu", (2, 2), 5, 3, lengths=[5, 2])
case("elu: 3 queries, 7 keys, values of another width", "elu", (2,), 3, 4, key_length=7,
     value_width=2)
case("elu: causal, 2 heads, batch of 2", "elu", (2, 2), 5, 3, causal=True)
continued("elu, continued", "elu", (2,), 7, 4, 3)
case("elu: a length of 0 gives zeros", "elu", (2, 1), 3, 3, lengths=[0, 2], source=None)
positive = [np.abs(x) + 0.125 for x in (grid(numbers("relu"), 6, 3), grid(numbers("relu 2"), 6, 3))]
case("relu", "relu", inputs=(*positive, grid(numbers("relu 3"), 6, 3)))
case("relu: causal, 2 heads", "relu", inputs=tuple(
    np.abs(grid(numbers(f"relu {part}"), 2, 5, 4)) + 0.125 for part in "qkv"), causal=True)
case("relu: queries without a positive feature give zeros", "relu", inputs=(
    np.array([[1.0, -1.0], [-0.5, -2.0], [0.0, 0.25]]), np.array([[0.5, -1.0], [2.0, -0.25]]),
    np.array([[1.0, 2.0], [3.0, -4.0]])), source=None)
case("identity: no division", "identity", (2,), 5, 4, key_length=6, source=None)
case("identity: causal", "identity", (), 6, 3, causal=True, source=None)
case("softmax: efficient attention", "softmax", (), 6, 4, source=performer)
case("softmax: 2 heads, batch of 2, other lengths", "softmax", (2, 2), 3, 3, key_length=5,
     limit=2.0, source=performer)
case("softmax: lengths 4 and 2: the softmax over the sequence leaves padding out", "softmax",
     (2, 1), 4, 3, lengths=[4, 2], source=None)
case("favor", "favor", (), 6, 4, features=5, source=performer)
case("favor: 2 heads, batch of 2, other lengths", "favor", (2, 2), 3, 3, key_length=5,
     value_width=4, features=4, source=performer)
case("favor: causal", "favor", (2,), 6, 4, features=6, causal=True, source=performer)
favor_continued("favor: continued", (), 6, 4, 3, 4, 0.0)
favor_continued("favor: continued, the state scaled, 2 heads", (2,), 5, 2, 3, 3, 2.5)
case("favor: lengths 5 and 2", "favor", (2, 2), 5, 3, features=4, lengths=[5, 2],
     source=performer)
case("favor: long queries and keys", "favor", (), 5, 4, features=6, limit=8.0, source=performer,
     tolerance={"relative": 2e-5, "absolute": 2e-5},
     note="Exponents near 50 in float32 leave 5e-6 of each feature.")
case("fourier", "fourier", (), 6, 3, features=8)
case("fourier: sigma 1.25, 2 heads, batch of 2, lengths 4 and 3", "fourier", (2, 2), 4, 2,
     features=8, sigma=1.25, lengths=[4, 3])
continued("fourier, continued", "fourier", (), 6, 3, 2, sigma=0.5,
          projection=grid(numbers("fourier, continued: projection"), 5, 2, limit=2))
case("fourier: sigma 0.5, causal", "fourier", (2,), 5, 4, features=4, sigma=0.5, causal=True)
case("fourier: a query and a key of zeros", "fourier", inputs=(
    np.array([[0.0, 0.0], [0.5, -0.25]]), np.array([[0.25, 1.0], [0.0, 0.0], [1.0, 0.5]]),
    grid(numbers("fourier zeros"), 3, 3)), features=3, width=2)
for sign, word in ((1, "just above"), (-1, "just below")):
    # The only key lies opposite to the query: the denominator is cos(2 w), near 0.0005 or -0.0005.
    case(f"fourier: a denominator {word} 0 counts as {sign * FLOOR}", "fourier", inputs=(
        np.array([[1.0]]), np.array([[-1.0]]), np.array([[1.0, -2.0]])),
        projection=np.array([[np.float32((math.pi / 2 - sign * FLOOR / 2) / 2)]], np.float64),
        source=None, tolerance={"relative": 1e-3, "absolute": 1e-3},
        note="Such a cosine has three digits in float32.")
golden.save()
