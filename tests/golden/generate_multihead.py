"""multihead.json: the layer, by torch.nn.MultiheadAttention, Hugging Face's and D2L's own layers.

A case holds the state dict with the names of the layer that made it.
"""

import numpy as np
import torch
from transformers.models.bart.modeling_bart import BartAttention
from transformers.models.bert.configuration_bert import BertConfig
from transformers.models.bert.modeling_bert import BertSelfAttention
from transformers.models.clip.configuration_clip import CLIPTextConfig
from transformers.models.clip.modeling_clip import CLIPAttention
from transformers.models.llama.configuration_llama import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaAttention

import masks
from d2l_classes import d2l
from golden import TOLERANCE, Golden, grid, numbers
from multihead import canonical, formula

golden = Golden("multihead", ("torch", "transformers", "d2l"))
torch.set_grad_enabled(False)


def fill(module, rng):
    """Gives a layer short numbers and returns its state dict as numpy arrays."""
    for _, parameter in sorted(module.named_parameters()):
        parameter.copy_(torch.tensor(grid(rng, *parameter.shape, limit=0.5)))
    module.double().eval()
    return {name: parameter.numpy().copy() for name, parameter in module.named_parameters()}


def drawn(name, batch, query_length, key_length, query_width, key_width=None, value_width=None):
    rng = numbers(name + " inputs")
    return (grid(rng, *batch, query_length, query_width),
            grid(rng, *batch, key_length, key_width or query_width),
            grid(rng, *batch, key_length, value_width or key_width or query_width))


def seen(mask, shape):
    return None if mask is None else masks.dense(mask, shape)


def add(name, config, state, inputs, options=None, *, theirs=None, note, self_attention=False):
    """Adds a case; `theirs` are the output and the weights of the layer that is not ours.

    The formula in float64 must agree with them, and in float32 must come within half the tolerance.
    """
    options = dict(options or {})
    query, key, value = inputs
    unbatched = query.ndim == 2
    heads = config["numHeads"]
    shape = (1 if unbatched else len(query), heads, query.shape[-2], key.shape[-2])
    allowed = seen(options.get("mask"), shape)
    rest = {part: entry for part, entry in options.items() if part not in ("mask", "returns")}
    rest.update(heads=heads, kv_heads=config.get("numKvHeads"),
                allowed=allowed[0] if unbatched and allowed is not None else allowed)
    exact = formula(canonical(state), *inputs, **rest)
    if theirs is not None:
        for got, want in zip(exact, theirs):
            if want is not None:
                assert torch.allclose(got, want.double(), rtol=1e-6, atol=1e-6), name
    rounded = formula(canonical(state), *inputs, dtype=torch.float32, **rest)
    for got, want in zip(rounded, exact):
        room = TOLERANCE["absolute"] + TOLERANCE["relative"] * want.abs()
        assert ((got.double() - want).abs() <= room / 2).all(), name
    expected = dict(zip(("output", "weights"), exact))
    if not options.get("returns"):
        del expected["weights"]
    golden.add(name, "MultiHeadAttention.forward",
               [config, state, query, *([None, None] if self_attention else [key, value])],
               options, expected=expected, note=note)


# torch.nn.MultiheadAttention. Its boolean masks are True where a key must not be seen.
def of_torch(name, embed, heads, batch=(2,), query_length=3, key_length=None, *, mask=None,
             bias=None, parameters=True, key_width=None, value_width=None, weights=True):
    layer = torch.nn.MultiheadAttention(embed, heads, bias=parameters, kdim=key_width,
                                        vdim=value_width, batch_first=True)
    state = fill(layer, numbers(name))
    inputs = drawn(name, batch, query_length, key_length or query_length, embed, key_width,
                   value_width)
    self_attention = key_length is None and key_width is None and value_width is None
    if self_attention:
        inputs = (inputs[0],) * 3
    count = batch[0] if batch else 1
    shape = (count, heads, query_length, key_length or query_length)
    hidden = None
    if mask is not None:
        hidden = torch.tensor(~seen(mask, shape)).flatten(0, 1)
    elif bias is not None:
        hidden = torch.tensor(np.broadcast_to(bias, shape).copy()).flatten(0, 1)
    theirs = layer(*(torch.tensor(x) for x in inputs), attn_mask=hidden,
                   average_attn_weights=False)
    config = {"embedDim": embed, "numHeads": heads}
    if not parameters:
        config["bias"] = False
    for side, width in {"kDim": key_width, "vDim": value_width}.items():
        if width is not None:
            config[side] = width
    options = {} if mask is None else {"mask": mask}
    if bias is not None:
        options["bias"] = bias
    if weights:
        options["returns"] = {"weights": True}
    add(name, config, state, inputs, options, theirs=theirs, self_attention=self_attention,
        note="torch.nn.MultiheadAttention in float64, average_attn_weights=False.")


of_torch("torch: self attention", 6, 3)
of_torch("torch: query alone", 4, 2, batch=(1,), weights=False)
of_torch("torch: cross attention", 6, 2, query_length=2, key_length=5)
of_torch("torch: no bias", 6, 2, parameters=False)
of_torch("torch: key and value of other widths", 6, 2, query_length=3, key_length=4, key_width=5,
         value_width=7)
of_torch("torch: key and value of other widths, no bias", 6, 3, query_length=2, key_length=3,
         key_width=4, value_width=4, parameters=False)
of_torch("torch: one head", 5, 1)
of_torch("torch: as many heads as features", 4, 4)
of_torch("torch: one token", 4, 2, batch=(3,), query_length=1)
of_torch("torch: without a batch axis", 6, 2, batch=(), query_length=4, key_length=3,
         weights=False)
of_torch("torch: causal", 4, 2, query_length=5, mask=masks.causal())
of_torch("torch: causal, aligned at the end", 4, 2, query_length=2, key_length=5,
         mask=masks.causal("end"))
of_torch("torch: key lengths", 4, 2, batch=(3,), query_length=4, mask=masks.lengths(key=[4, 1, 2]))
of_torch("torch: causal and key lengths", 4, 2, query_length=4,
         mask=masks.both(masks.causal(), masks.lengths(key=[3, 4])))
rng = numbers("torch masks")
matrix = rng.random((2, 2, 3, 4)) < 0.5
matrix[..., 1] = True
of_torch("torch: keep [Lq, Lk]", 4, 2, query_length=3, key_length=4, mask=masks.keep(matrix[0, 0]))
of_torch("torch: ignore [Lq, Lk]", 4, 2, query_length=3, key_length=4,
         mask=masks.ignore(~matrix[0, 1]))
of_torch("torch: keep [H, Lq, Lk], heads before batch", 4, 2, query_length=3, key_length=4,
         mask=masks.keep(matrix[0]))
of_torch("torch: keep [B, 1, 1, Lk]", 4, 2, query_length=3, key_length=4,
         mask=masks.keep(matrix[:, :1, :1]))
of_torch("torch: keep [B, H, Lq, Lk]", 4, 2, query_length=3, key_length=4, mask=masks.keep(matrix))
of_torch("torch: bias [Lq, Lk]", 4, 2, query_length=3, key_length=4, bias=grid(rng, 3, 4, limit=2))
of_torch("torch: bias [H, 1, Lk]", 4, 2, query_length=3, key_length=4,
         bias=grid(rng, 2, 1, 4, limit=2))
of_torch("torch: window", 4, 2, query_length=6, mask=masks.window(1, 1))


# Hugging Face. Its additive masks hold a large negative number where a key must not be seen.
def additive(mask, shape):
    hidden = torch.tensor(~seen(mask, shape))
    return torch.zeros(shape).double().masked_fill(hidden, torch.finfo(torch.float64).min)


WEIGHTS = {"returns": {"weights": True}}
for name, key_length in {"bert: self attention, key lengths": None,
                         "bert: cross attention": 5}.items():
    config = BertConfig(hidden_size=8, num_attention_heads=2, is_decoder=key_length is not None)
    layer = BertSelfAttention(config)
    state = fill(layer, numbers(name))
    dense = torch.nn.Linear(8, 8)  # the projection of BertSelfOutput, before its layer norm
    state.update({f"output.dense.{part}": entry
                  for part, entry in fill(dense, numbers(name + " output")).items()})
    query, key, _ = drawn(name, (2,), 4, key_length or 4, 8)
    options = dict(WEIGHTS)
    if key_length is None:
        key = query
        options["mask"] = masks.lengths(key=[2, 4])
        context, weights = layer(torch.tensor(query), additive(options["mask"], (2, 2, 4, 4)),
                                 output_attentions=True)
    else:
        context, weights, *_ = layer(torch.tensor(query), output_attentions=True,
                                     encoder_hidden_states=torch.tensor(key))
    add(name, {"embedDim": 8, "numHeads": 2}, state, (query, key, key), options,
        theirs=(dense(context), weights), self_attention=key_length is None,
        note="Hugging Face's BertSelfAttention and the dense layer of BertSelfOutput, in float64.")

name = "clip: causal"
layer = CLIPAttention(CLIPTextConfig(hidden_size=6, num_attention_heads=3))
state = fill(layer, numbers(name))
query = drawn(name, (2,), 4, 4, 6)[0]
theirs = layer(torch.tensor(query), output_attentions=True,
               causal_attention_mask=additive(masks.causal(), (2, 1, 4, 4)))
add(name, {"embedDim": 6, "numHeads": 3}, state, (query,) * 3,
    {"mask": masks.causal(), **WEIGHTS}, theirs=theirs, self_attention=True,
    note="Hugging Face's CLIPAttention in float64.")

for name, parameters in {"bart: cross attention": True,
                         "bart: cross attention, no bias": False}.items():
    layer = BartAttention(4, 2, bias=parameters)
    state = fill(layer, numbers(name))
    query, key, _ = drawn(name, (2,), 3, 5, 4)
    output, weights, _ = layer(torch.tensor(query), torch.tensor(key), output_attentions=True)
    add(name, {"embedDim": 4, "numHeads": 2, **({} if parameters else {"bias": False})}, state,
        (query, key, key), dict(WEIGHTS), theirs=(output, weights),
        note="Hugging Face's BartAttention in float64.")

for name, kv_heads in {"llama: 4 heads over 2 keys and values, causal": 2,
                       "llama: 4 heads over 1 key and value, causal": 1}.items():
    layer = LlamaAttention(LlamaConfig(hidden_size=8, num_attention_heads=4,
                                       num_key_value_heads=kv_heads), layer_idx=0)
    state = fill(layer, numbers(name))
    query = drawn(name, (2,), 4, 4, 8)[0]
    # Every token at position 0, where the rotary embedding turns nothing.
    output, weights, _ = layer(torch.tensor(query), additive(masks.causal(), (2, 1, 4, 4)),
                               torch.zeros(2, 4, dtype=torch.long), output_attentions=True)
    state = {name.replace("o_proj", "out_proj"): entry for name, entry in state.items()}
    add(name, {"embedDim": 8, "numHeads": 4, "numKvHeads": kv_heads, "bias": False}, state,
        (query,) * 3, {"mask": masks.causal(), **WEIGHTS}, theirs=(output, weights),
        self_attention=True,
        note="float64 torch operations; agrees with Hugging Face's LlamaAttention at position 0, "
             "whose softmax is float32. Its o_proj is called out_proj here.")


# Dive into Deep Learning.
def of_d2l(name, width, heads, batch, query_length, key_length, *, parameters=False, ones=False,
           key_width=None, value_width=None, lengths=None, mask=None):
    layer = d2l.MultiHeadAttention(width, heads, 0.0, bias=parameters).double()
    inputs = drawn(name, (batch,), query_length, key_length, width, key_width, value_width)
    if ones:
        inputs = (np.ones((batch, query_length, width)),) * 3
    query, key, value = (torch.tensor(x) for x in inputs)
    lengths = None if lengths is None else torch.tensor(lengths)
    layer(query, key, value, lengths)  # gives the lazy layers their widths
    state = fill(layer, numbers(name))
    if ones:  # whole numbers, mostly 0: a hundred by a hundred would otherwise fill this file
        for part, weight in layer.named_parameters():
            weight.copy_(torch.tensor(numbers(name + part).choice([0, 0, 0, 1, -1],
                                                                  tuple(weight.shape))))
        state = {part: weight.numpy().copy() for part, weight in layer.named_parameters()}
    output = layer(query, key, value, lengths)
    weights = layer.attention.attention_weights.unflatten(0, (batch, heads))
    config = {"embedDim": width, "numHeads": heads}
    for side, other in {"kDim": key_width, "vDim": value_width}.items():
        if other is not None:
            config[side] = other
    if not parameters:
        config["bias"] = False
    add(name, config, state, inputs, {**({} if mask is None else {"mask": mask}), **WEIGHTS},
        theirs=(output, weights), note="D2L's MultiHeadAttention in float64.")


of_d2l("d2l: ones(2, 4, 100), 5 heads, valid lengths 3 and 2", 100, 5, 2, 4, 4, ones=True,
       lengths=[3, 2], mask=masks.lengths(key=[3, 2]))
of_d2l("d2l: 6 keys for 4 queries, valid lengths 3 and 2", 10, 5, 2, 4, 6, lengths=[3, 2],
       mask=masks.lengths(key=[3, 2]))
of_d2l("d2l: with bias", 8, 4, 2, 3, 3, parameters=True)
of_d2l("d2l: key and value of other widths", 6, 2, 2, 2, 3, key_width=7, value_width=5)
valid = np.array([[1, 2, 3], [4, 1, 2]])
of_d2l("d2l: a valid length for each query", 6, 3, 2, 3, 4, lengths=valid,
       mask=masks.keep((np.arange(4) < valid[..., None])[:, None]))


# What the libraries above cannot do: heads of any width, and attention's other options.
def of_formula(name, config, batch=(2,), query_length=3, key_length=4, **options):
    embed, heads = config["embedDim"], config["numHeads"]
    width = config.get("headDim", embed // heads)
    rows = {"q": heads * width, "k": config.get("numKvHeads", heads) * width,
            "v": config.get("numKvHeads", heads) * width, "out": embed}
    columns = {"q": embed, "k": config.get("kDim", embed), "v": config.get("vDim", embed),
               "out": heads * width}
    rng, state = numbers(name), {}
    for part in rows:
        state[f"{part}_proj.weight"] = grid(rng, rows[part], columns[part], limit=0.5)
        if config.get("bias", True):
            state[f"{part}_proj.bias"] = grid(rng, rows[part], limit=0.5)
    add(name, config, state, drawn(name, batch, query_length, key_length, embed, columns["k"],
                                   columns["v"]),
        {**options, **WEIGHTS}, note="float64 torch operations.")


of_formula("heads wider than embedDim / numHeads", {"embedDim": 6, "numHeads": 2, "headDim": 5})
of_formula("heads narrower than embedDim / numHeads, grouped, no bias",
           {"embedDim": 10, "numHeads": 4, "numKvHeads": 2, "headDim": 2, "bias": False})
of_formula("embedDim that numHeads does not divide, with headDim",
           {"embedDim": 5, "numHeads": 2, "headDim": 3})
of_formula("grouped heads with bias, other widths",
           {"embedDim": 6, "numHeads": 6, "numKvHeads": 3, "headDim": 2, "kDim": 4, "vDim": 3})
SMALL = {"embedDim": 6, "numHeads": 2, "bias": False}
of_formula("with softcap and scale", SMALL, softcap=0.5, scale=2.0)
of_formula("with score cosine", SMALL, score="cosine")
of_formula("with normaliser sigmoid", SMALL, normalizer="sigmoid")
of_formula("with sinks", SMALL, sinks=np.array([0.5, -1.0]))
of_formula("with a mask per head", SMALL, query_length=4, key_length=4,
           mask=masks.per_head(masks.causal(), masks.window(1, 1)))
of_formula("with a key length of 0: the output projection's bias alone",
           {"embedDim": 4, "numHeads": 2}, key_length=3, mask=masks.lengths(key=[0, 2]))
of_formula("no key", {"embedDim": 4, "numHeads": 2}, key_length=0)
of_formula("no query", {"embedDim": 4, "numHeads": 2}, query_length=0)


# Loading alone: the same parameters by their canonical names.
def load(name, config, state):
    golden.add(name, "MultiHeadAttention.load", [config, state], expected=canonical(state),
               tolerance={"relative": 0, "absolute": 0}, note="The same numbers under other names.")


rng = numbers("load")
square = {part: grid(rng, 4, 4) for part in "qkvo"}
flat = {part: grid(rng, 4) for part in "qkvo"}
CONFIG = {"embedDim": 4, "numHeads": 2}
TORCH = {"in_proj_weight": np.concatenate([square[part] for part in "qkv"]),
         "in_proj_bias": np.concatenate([flat[part] for part in "qkv"]),
         "out_proj.weight": square["o"], "out_proj.bias": flat["o"]}
load("load: torch", CONFIG, TORCH)
load("load: torch, other widths", {**CONFIG, "kDim": 3, "vDim": 2},
     {"q_proj_weight": square["q"], "k_proj_weight": grid(rng, 4, 3),
      "v_proj_weight": grid(rng, 4, 2), "in_proj_bias": TORCH["in_proj_bias"],
      "out_proj.weight": square["o"], "out_proj.bias": flat["o"]})
BERT = dict(zip("qkvo", ("query", "key", "value", "output.dense")))
load("load: query, key, value, output.dense", CONFIG,
     {f"{BERT[part]}.{kind}": entries[part] for part in "qkvo"
      for kind, entries in (("weight", square), ("bias", flat))})
load("load: q_proj, k_proj, v_proj, out_proj", CONFIG,
     {f"{part}_proj.{kind}": entries[part[0]] for part in ("q", "k", "v", "out")
      for kind, entries in (("weight", square), ("bias", flat))})
load("load: W_q, W_k, W_v, W_o", {**CONFIG, "bias": False},
     {f"W_{part}.weight": square[part] for part in "qkvo"})


def refuses(name, config, state, code, *mentions):
    golden.add(name, "MultiHeadAttention.load", [config, state],
               error={"code": code, "mentions": list(mentions)},
               note="Must be refused; one sentence holds these words.")


refuses("load: an unknown entry", CONFIG, {**TORCH, "surplus.weight": square["q"]}, "argument",
        "surplus.weight")
refuses("load: a missing entry", CONFIG,
        {part: entry for part, entry in TORCH.items() if part != "out_proj.bias"}, "argument",
        "out_proj.bias")
refuses("load: a wrong shape", CONFIG, {**TORCH, "out_proj.weight": grid(rng, 4, 7)}, "shape",
        "out_proj.weight", "7")
refuses("load: W_q of a wrong shape", {**CONFIG, "bias": False},
        {**{f"W_{part}.weight": square[part] for part in "qkvo"}, "W_k.weight": grid(rng, 5, 4)},
        "shape", "W_k.weight", "5")
golden.save()
