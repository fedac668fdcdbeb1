"""mixers.json: Synthesizer, FNet, MLP-Mixer and gMLP."""

import math

import numpy as np
import torch
import torch.nn.functional as F
from g_mlp_pytorch.g_mlp_pytorch import PreNorm, Residual, gMLPBlock
from mlp_mixer_pytorch.mlp_mixer_pytorch import FeedForward, PreNormResidual
from torch import nn
from transformers.models.fnet.configuration_fnet import FNetConfig
from transformers.models.fnet.modeling_fnet import FNetBasicFourierTransform

import masks
from agreement import add_agreed
from golden import Golden, grid, numbers
from reference import convert

golden = Golden("mixers", ("torch", "transformers", "mlp-mixer-pytorch", "g-mlp-pytorch"))
torch.set_grad_enabled(False)


def exact(x):
    return convert(x, torch.float64)



# Synthesizer.
def synthesizer(name, leading, length, width, *, dense=None, biases=True, random=None,
                factorized=None, heads=None, value_width=None, mask=None):
    """`dense` is (hidden, most), `random` is most, `factorized` is (most, k)."""
    allowed = torch.ones(length, length, dtype=torch.bool) if mask is None else torch.tensor(
        masks.dense(mask, (1, 1, length, length))[0, 0])
    rng = numbers(name)
    x = grid(rng, *leading, length, width)
    value = grid(rng, *leading, length, value_width or width)
    own, options = (heads,) if heads else (), {}
    if dense:
        hidden, most = dense
        options["dense"] = {"weight1": grid(rng, hidden, width), "weight2": grid(rng, most, hidden)}
        if biases:
            options["dense"].update(bias1=grid(rng, hidden), bias2=grid(rng, most))
    if random:
        options["random"] = grid(rng, *own, random, random, limit=2)
    if factorized:
        most, k = factorized
        options["factorized"] = {"left": grid(rng, *own, most, k),
                                 "right": grid(rng, *own, k, most)}

    def define(number):
        scores = torch.zeros(*leading, length, length, dtype=number(0).dtype)
        if dense:
            weights = {part: number(w) for part, w in options["dense"].items()}
            inner = torch.einsum("...ld,hd->...lh", number(x), weights["weight1"])
            inner = torch.clamp(inner + weights.get("bias1", 0), min=0)
            outer = torch.einsum("...lh,mh->...lm", inner, weights["weight2"])
            scores = scores + (outer + weights.get("bias2", 0))[..., :length]
        if random:
            scores = scores + number(options["random"])[..., :length, :length]
        if factorized:
            left, right = (number(options["factorized"][side]) for side in ("left", "right"))
            scores = scores + torch.einsum("...ik,...kj->...ij", left, right)[
                ..., :length, :length]
        raised = scores.exp() * allowed
        total = raised.sum(-1, keepdim=True)
        return {"output": raised / torch.where(total > 0, total, number(1.0)) @ number(value)}

    if mask is not None:
        options["mask"] = mask
    parts = []
    if dense:
        layers = nn.Sequential(nn.Linear(width, hidden, bias=biases), nn.ReLU(),
                               nn.Linear(hidden, most, bias=biases)).double()
        layers.load_state_dict({f"{place}.{kind}": exact(options["dense"][f"{kind}{n}"])
                                for n, place in ((1, 0), (2, 2))
                                for kind in ("weight", "bias") if biases or kind == "weight"})
        parts.append(layers(exact(x))[..., :length])
    if random:
        parts.append(exact(options["random"])[..., :length, :length])
    if factorized:
        parts.append((exact(options["factorized"]["left"]) @ exact(options["factorized"]["right"]))
                     [..., :length, :length])
    theirs = F.softmax(sum(parts).masked_fill(~allowed, -math.inf), -1).nan_to_num() @ exact(value)
    add_agreed(golden, name, "synthesizer", [x, value], options, define=define,
               theirs={"output": theirs}, note="torch.nn.Linear, ReLU and softmax in float64.")


synthesizer("synthesizer: dense", (), 5, 4, dense=(6, 5))
synthesizer("synthesizer: dense, made for more tokens, without biases", (), 4, 3, dense=(4, 7),
            biases=False)
synthesizer("synthesizer: dense, 2 heads, batch of 2, values of another width", (2, 2), 3, 3,
            dense=(4, 3), value_width=2)
synthesizer("synthesizer: random", (), 5, 3, random=5)
synthesizer("synthesizer: random for each head, made for more tokens", (2,), 4, 3, random=6,
            heads=2)
synthesizer("synthesizer: factorized", (), 6, 3, factorized=(6, 2))
synthesizer("synthesizer: factorized for each head, made for more tokens", (2, 2), 3, 2,
            factorized=(5, 2), heads=2)
synthesizer("synthesizer: dense and random added up", (2,), 4, 3, dense=(4, 4), random=4, heads=2)
synthesizer("synthesizer: random, with a mask that leaves the last query no key", (2,), 5, 3,
            random=5, mask=masks.both(masks.causal(), masks.lengths(query=[4])))
synthesizer("synthesizer: dense, causal", (), 6, 3, dense=(4, 6), mask=masks.causal())
synthesizer("synthesizer: all three", (), 5, 3, dense=(4, 6), random=6, factorized=(6, 2))


# FNet.
def fnet(name, leading, length, width):
    x = grid(numbers(name), *leading, length, width)

    def define(number):  # the matrices of the transform, with real and imaginary parts apart
        def matrices(n):
            turns = np.outer(np.arange(n), np.arange(n)) % max(n, 1) / max(n, 1)
            return number(np.cos(2 * np.pi * turns)), number(np.sin(2 * np.pi * turns))

        (cos_l, sin_l), (cos_d, sin_d) = matrices(length), matrices(width)
        return {"output": cos_l @ number(x) @ cos_d - sin_l @ number(x) @ sin_d}

    config = FNetConfig(hidden_size=width, use_tpu_fourier_optimizations=False)
    layer = FNetBasicFourierTransform(config).double()
    flat = exact(x).reshape(-1, length, width)
    # Float32 sums of n d terms near 1 are off by some 1e-7 of their spread, sqrt(n d).
    room = max(1e-6, 4e-7 * math.sqrt(length * width))
    add_agreed(golden, name, "fnet", [x], define=define,
               theirs={"output": layer(flat)[0].reshape(x.shape)},
               tolerance={"relative": 1e-6, "absolute": float(f"{room:.1g}")},
               note="Hugging Face's FNetBasicFourierTransform in float64. The absolute tolerance "
                    "grows with the root of the number of terms.")


fnet("fnet: 4 tokens", (1,), 4, 4)
fnet("fnet: 2 axes", (), 8, 6)
fnet("fnet: prime lengths", (), 7, 5)
fnet("fnet: 2 heads, batch of 2, 6 tokens", (2, 2), 6, 3)
fnet("fnet: a long prime length", (), 23, 3)
fnet("fnet: 24 tokens, 8 features", (), 24, 8)
fnet("fnet: one token", (1,), 1, 5)
fnet("fnet: one feature", (1,), 9, 1)


# Layer norm and GELU, written out.
def norm(x, weight, bias, epsilon):
    mean = x.mean(-1, keepdim=True)
    spread = (x - mean).square().mean(-1, keepdim=True)
    return (x - mean) / torch.sqrt(spread + epsilon) * weight + bias


def gelu(x, kind):
    if kind == "tanh":
        return x / 2 * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return x / 2 * (1 + torch.erf(x / math.sqrt(2)))


def set_gelu(module, kind):
    for part in module.modules():
        if isinstance(part, nn.GELU):
            part.approximate = kind


def set_epsilon(module, epsilon):
    for part in module.modules():
        if isinstance(part, nn.LayerNorm):
            part.eps = epsilon


def plain_options(kind, epsilon):
    return {**({} if kind is None else {"gelu": kind}),
            **({} if epsilon is None else {"epsilon": epsilon})}


# MLP-Mixer.
def mlp_mixer(name, leading, length, width, tokens, channels, *, norms=True, biases=True,
              kind=None, epsilon=None):
    rng = numbers(name)
    x = grid(rng, *leading, length, width)
    weights = {"tokenWeight1": grid(rng, tokens, length), "tokenBias1": grid(rng, tokens),
               "tokenWeight2": grid(rng, length, tokens), "tokenBias2": grid(rng, length),
               "channelWeight1": grid(rng, channels, width), "channelBias1": grid(rng, channels),
               "channelWeight2": grid(rng, width, channels), "channelBias2": grid(rng, width)}
    if norms:
        weights.update({f"norm{n}{part}": grid(rng, width) for n in (1, 2)
                        for part in ("Weight", "Bias")})

    if not biases:
        weights = {part: entry if "Weight" in part else np.zeros_like(entry)
                   for part, entry in weights.items()}

    def norm_of(n):
        return [weights.get(f"norm{n}{part}", default) for part, default in (
            ("Weight", np.ones(width)), ("Bias", np.zeros(width)))]

    def define(number):
        w = {part: number(entry) for part, entry in weights.items()}
        rows, small = number(x), 1e-5 if epsilon is None else epsilon
        inner = norm(rows, *map(number, norm_of(1)), small)
        inner = gelu(torch.einsum("tl,...ld->...td", w["tokenWeight1"], inner)
                     + w["tokenBias1"].unsqueeze(-1), kind)
        rows = rows + torch.einsum("lt,...td->...ld", w["tokenWeight2"], inner) \
            + w["tokenBias2"].unsqueeze(-1)
        inner = norm(rows, *map(number, norm_of(2)), small)
        inner = gelu(torch.einsum("cd,...ld->...lc", w["channelWeight1"], inner)
                     + w["channelBias1"], kind)
        return {"output": rows + torch.einsum("dc,...lc->...ld", w["channelWeight2"], inner)
                + w["channelBias2"]}

    mixing = PreNormResidual(width, FeedForward(
        length, tokens, dense=lambda *sizes: nn.Conv1d(*sizes, kernel_size=1)))
    within = PreNormResidual(width, FeedForward(width, channels))
    layers = nn.Sequential(mixing, within).double().eval()
    set_gelu(layers, kind or "none")
    set_epsilon(layers, 1e-5 if epsilon is None else epsilon)
    for n, layer, part in ((1, mixing, "token"), (2, within, "channel")):
        for parameter, entry in zip((layer.norm.weight, layer.norm.bias), norm_of(n)):
            parameter.copy_(exact(entry))
        for place, number in ((0, 1), (3, 2)):
            weight = exact(weights[f"{part}Weight{number}"])
            layer.fn[place].weight.copy_(weight.reshape(layer.fn[place].weight.shape))
            layer.fn[place].bias.copy_(exact(weights[f"{part}Bias{number}"]))
    flat = exact(x).reshape(-1, length, width)
    given = {part: entry for part, entry in weights.items() if biases or "Weight" in part}
    add_agreed(golden, name, "mlpMixer", [x], {**given, **plain_options(kind, epsilon)},
               define=define, theirs={"output": layers(flat).reshape(x.shape)},
               note="The layers of mlp-mixer-pytorch in float64"
                    + (", with torch's tanh form of GELU." if kind == "tanh" else "."))


mlp_mixer("mlp-mixer", (1,), 5, 4, 6, 8)
mlp_mixer("mlp-mixer: two axes, norms of ones and zeros", (), 4, 3, 3, 5, norms=False)
mlp_mixer("mlp-mixer: 2 heads, batch of 2", (2, 2), 3, 3, 4, 5)
mlp_mixer("mlp-mixer: tanh form of gelu", (2,), 4, 3, 5, 6, kind="tanh")
mlp_mixer("mlp-mixer: epsilon 0.125", (1,), 4, 4, 2, 3, epsilon=0.125)
mlp_mixer("mlp-mixer: without biases", (), 4, 3, 3, 4, biases=False)
mlp_mixer("mlp-mixer: one token", (), 1, 4, 3, 4)


# gMLP.
def gmlp(name, leading, length, width, half, *, most=None, norms=True, biases=True, causal=False,
         kind=None, epsilon=None):
    rng = numbers(name)
    most = most or length
    x = grid(rng, *leading, length, width)
    weights = {"inWeight": grid(rng, 2 * half, width), "inBias": grid(rng, 2 * half),
               "spatialWeight": grid(rng, most, most), "spatialBias": grid(rng, most),
               "outWeight": grid(rng, width, half), "outBias": grid(rng, width)}
    if norms:
        weights.update(normWeight=grid(rng, width), normBias=grid(rng, width),
                       gateNormWeight=grid(rng, half), gateNormBias=grid(rng, half))

    if not biases:
        weights = {part: entry if "Weight" in part else np.zeros_like(entry)
                   for part, entry in weights.items()}

    def norm_of(part, size):
        return (weights.get(f"{part}Weight", np.ones(size)),
                weights.get(f"{part}Bias", np.zeros(size)))

    def define(number):
        w = {part: number(entry) for part, entry in weights.items()}
        small = 1e-5 if epsilon is None else epsilon
        inner = norm(number(x), *map(number, norm_of("norm", width)), small)
        inner = gelu(torch.einsum("fd,...ld->...lf", w["inWeight"], inner) + w["inBias"], kind)
        u, v = inner[..., :half], inner[..., half:]
        v = norm(v, *map(number, norm_of("gateNorm", half)), small)
        mixing = w["spatialWeight"][:length, :length]
        mixing = mixing.tril() if causal else mixing
        v = torch.einsum("ij,...jf->...if", mixing, v) + w["spatialBias"][:length].unsqueeze(-1)
        return {"output": number(x) + torch.einsum("df,...lf->...ld", w["outWeight"], u * v)
                + w["outBias"]}

    block = gMLPBlock(dim=width, dim_ff=2 * half, seq_len=most, causal=causal)
    layer = Residual(PreNorm(width, block)).double().eval()
    set_gelu(layer, kind or "none")
    set_epsilon(layer, 1e-5 if epsilon is None else epsilon)
    for parameter, entry in (
            *zip((layer.fn.norm.weight, layer.fn.norm.bias), norm_of("norm", width)),
            *zip((block.sgu.norm.weight, block.sgu.norm.bias), norm_of("gateNorm", half)),
            (block.proj_in[0].weight, weights["inWeight"]),
            (block.proj_in[0].bias, weights["inBias"]),
            (block.sgu.weight, weights["spatialWeight"][None]),
            (block.sgu.bias, weights["spatialBias"][None]),
            (block.proj_out.weight, weights["outWeight"]),
            (block.proj_out.bias, weights["outBias"])):
        parameter.copy_(exact(entry))
    flat = exact(x).reshape(-1, length, width)
    options = {**{part: entry for part, entry in weights.items() if biases or "Weight" in part},
               **({"causal": True} if causal else {}), **plain_options(kind, epsilon)}
    add_agreed(golden, name, "gmlp", [x], options, define=define,
               theirs={"output": layer(flat).reshape(x.shape)},
               note="The block of g-mlp-pytorch with its norm and residual, in float64"
                    + (", with torch's tanh form of GELU." if kind == "tanh" else "."))


gmlp("gmlp", (1,), 5, 4, 6)
gmlp("gmlp: causal, made for more tokens", (), 4, 3, 4, most=6, causal=True)
gmlp("gmlp: causal, 2 heads, batch of 2", (2, 2), 3, 3, 3, causal=True)
gmlp("gmlp: norms of ones and zeros", (2,), 4, 4, 3, norms=False)
gmlp("gmlp: tanh form of gelu, epsilon 0.125", (1,), 4, 3, 4, kind="tanh", epsilon=0.125)
gmlp("gmlp: without biases", (), 4, 3, 3, biases=False)
gmlp("gmlp: one token", (), 1, 3, 4)
golden.save()
