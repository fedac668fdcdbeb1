"""block.json: a stackable self-attention block, by torch.nn.TransformerEncoderLayer in float64."""

import torch

import masks
from golden import Golden, grid, numbers

golden = Golden("block", ("torch",))
torch.set_grad_enabled(False)

NAMES = {"self_attn.in_proj_weight": "inProjWeight", "self_attn.in_proj_bias": "inProjBias",
         "self_attn.out_proj.weight": "outProjWeight", "self_attn.out_proj.bias": "outProjBias",
         "linear1.weight": "linear1Weight", "linear1.bias": "linear1Bias",
         "linear2.weight": "linear2Weight", "linear2.bias": "linear2Bias",
         "norm1.weight": "norm1Weight", "norm1.bias": "norm1Bias",
         "norm2.weight": "norm2Weight", "norm2.bias": "norm2Bias"}


ACTIVATIONS = {"relu": torch.nn.functional.relu, "gelu": torch.nn.functional.gelu,
               "silu": torch.nn.functional.silu}


def add(name, shape, heads, hidden, *, mask=None, **options):
    """One block."""
    rng = numbers(name)
    x = grid(rng, *shape)
    layer = torch.nn.TransformerEncoderLayer(
        shape[-1], heads, hidden, dropout=0, batch_first=True,
        norm_first=options.get("normFirst", False),
        activation=ACTIVATIONS[options.get("activation", "relu")])
    for parameter, values in sorted(layer.named_parameters()):
        center = 1 if parameter.startswith("norm") and parameter.endswith("weight") else 0
        values.copy_(torch.tensor(grid(rng, *values.shape, limit=0.5)) + center)
    layer.double().eval()
    hidden_pairs = None
    if mask is not None:
        length = shape[-2]
        hidden_pairs = ~torch.tensor(masks.dense(mask, (1, 1, length, length))[0, 0])
    layer.train()  # without dropout the same, and not through a fused kernel
    y = layer(torch.tensor(x), src_mask=hidden_pairs)
    seen = layer.norm1(torch.tensor(x)) if layer.norm_first else torch.tensor(x)
    attended = layer.self_attn(seen, seen, seen, attn_mask=hidden_pairs,
                               average_attn_weights=False)[1]
    weights = {NAMES[key]: value.numpy().copy() for key, value in layer.named_parameters()}
    given = {"numHeads": heads, **weights, **options}
    if mask is not None:
        given["mask"] = mask
    given["returns"] = {"weights": True}
    golden.add(name, "selfAttentionBlock", [x], given, expected={"output": y, "weights": attended},
               note="torch.nn.TransformerEncoderLayer, float64")


add("norm last, relu", (5, 8), 2, 12)
add("norm first, relu", (5, 8), 2, 12, normFirst=True)
add("norm last, gelu", (2, 4, 6), 3, 10, activation="gelu")
add("norm first, gelu, causal", (2, 7, 8), 4, 16, normFirst=True, activation="gelu",
    mask={"kind": "causal", "offset": 0})
add("norm first, silu", (9, 12), 3, 20, normFirst=True, activation="silu")
add("one head, one token", (1, 4), 1, 4)
golden.save()
