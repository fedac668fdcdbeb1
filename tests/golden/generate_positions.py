"""positions.json: sinusoids, rotary, ALiBi, T5 buckets, rotation matrix and binary clock."""

import inspect

import numpy as np
import torch
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.gpt_neox.modeling_gpt_neox import GPTNeoXRotaryEmbedding
from transformers.models.gpt_neox.modeling_gpt_neox import (
    apply_rotary_pos_emb as rotate_neox)
from transformers.models.gptj.modeling_gptj import create_sinusoidal_positions
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding
from transformers.models.marian.modeling_marian import MarianSinusoidalPositionalEmbedding
from transformers.models.t5.configuration_t5 import T5Config
from transformers.models.t5.modeling_t5 import T5Attention

from d2l_classes import d2l
from golden import Golden, grid, numbers
from positions import (alibi, alibi_slopes, rotary, rotate_halves, rotate_neighbours, rotation,
                       sinusoid)

golden = Golden("positions", ("torch", "transformers", "d2l"))
# Sines and cosines are at most 1: rounding the exact angle's to float32 costs 6e-8.
TIGHT = {"relative": 2e-7, "absolute": 2e-7}
EXACT = {"relative": 0, "absolute": 0}


def close(got, want, room):
    assert np.abs(np.asarray(got, np.float64) - np.asarray(want, np.float64)).max() <= room


# D2L's class computes in float32; the same source with that one word changed computes in float64.
scope = {"nn": torch.nn, "torch": torch, "d2l": d2l}
source = inspect.getsource(d2l.PositionalEncoding)
exec(source.replace("torch.float32", "torch.float64"), scope)


def d2l_table(length, dim):
    torch.set_default_dtype(torch.float64)
    table = scope["PositionalEncoding"](dim, 0.0, length).P[0].numpy()
    torch.set_default_dtype(torch.float32)
    return table


# Sinusoids.
def table(name, options, note, checked=None, room=1e-12):
    output = sinusoid(**options)
    if checked is not None:
        close(output, checked, room)
    public = {"length": options["length"], "dim": options["dim"],
              **{key: options[key] for key in ("base", "layout", "offset") if key in options}}
    golden.add(name, "position.sinusoidal", [], public, expected={"output": output},
               tolerance=TIGHT, note=note)
    return output


notes = table("60 positions, width 32", {"length": 60, "dim": 32},
              "float64; equals D2L's PositionalEncoding run in float64.", d2l_table(60, 32))
PUBLISHED = {0: (0, 1, 0, 1), 1: (0.176892186, 0.984230234, 0.099833417, 0.995004165),
             2: (0.348205276, 0.937418309, 0.198669331, 0.980066578),
             9: (0.999560318, -0.029650796, 0.783326910, 0.621609968),
             15: (0.456603325, -0.889670390, 0.997494987, 0.070737202),
             31: (-0.696507838, 0.717549184, 0.041580662, -0.999135150),
             59: (-0.875790247, -0.482691873, -0.373876665, 0.927478431)}
for position, columns in PUBLISHED.items():
    close(notes[position, 6:10], columns, 5.001e-10)
for distance, product in {0: 16, 1: 15.313649, 2: 13.730137, 5: 11.777383, 10: 10.058927,
                          20: 10.470854, 40: 7.789701}.items():
    close(notes[7] @ notes[7 + distance], product, 5.001e-7)

for dim in (2, 8):
    table(f"interleaved, width {dim}", {"length": 7, "dim": dim, "layout": "interleaved"},
          "float64; equals D2L's PositionalEncoding run in float64.", d2l_table(7, dim))
for dim in (1, 3, 7):
    table(f"interleaved, odd width {dim}", {"length": 6, "dim": dim},
          "float64 definition; D2L's class takes even widths only.")
for dim in (6, 7, 1):
    weight = MarianSinusoidalPositionalEmbedding(6, dim).weight.numpy()
    table(f"concatenated, width {dim}", {"length": 6, "dim": dim, "layout": "concatenated"},
          "float64; agrees with Hugging Face's MarianSinusoidalPositionalEmbedding.", weight, 6e-8)
table("base 500", {"length": 4, "dim": 6, "base": 500}, "float64 definition.")
table("base 500, concatenated, odd width", {"length": 4, "dim": 5, "base": 500,
                                            "layout": "concatenated"}, "float64 definition.")
table("from position 57", {"length": 3, "dim": 32, "offset": 57},
      "The last rows of the table of 60.", d2l_table(60, 32)[57:])
for dim in (8, 7):
    table(f"position 1,000,000, width {dim}", {"length": 2, "dim": dim, "offset": 1000000},
          "float64 definition.")
table("position 1,000,000, concatenated", {"length": 1, "dim": 4, "offset": 1000000,
                                           "layout": "concatenated"}, "float64 definition.")
table("no position", {"length": 0, "dim": 4}, "By definition.")


# Rotary.
def turn(name, x, at=None, *, offset=None, note=None, checked=None, **options):
    where = range(offset or 0, (offset or 0) + x.shape[-2]) if at is None else at
    output = rotary(x, list(where), **options)
    if checked is not None:
        close(output, checked, 2e-5)  # those tables hold float32 angles
    public = {**({} if at is None else {"positions": at}),
              **({} if offset is None else {"offset": offset}), **options}
    golden.add(name, "position.rotary", [x], public, expected={"output": output},
               note=note or "Hugging Face's rotation, fed with float64 angles.")


def llama(x, base=10000):
    """Hugging Face's Llama as it stands, float32 tables and all."""
    length, dims = x.shape[-2:]
    table = LlamaRotaryEmbedding(dims, max_position_embeddings=length, base=base)
    part = torch.tensor(x).float()
    cos, sin = table(part, seq_len=length)
    return rotate_halves(part, part, cos, sin, torch.arange(length)[None])[0]


def gptj(x):
    """Hugging Face's GPT-J as it stands."""
    length, dims = x.shape[-2:]
    sin, cos = create_sinusoidal_positions(length, dims).chunk(2, -1)
    part = torch.tensor(x).float().transpose(1, 2)
    return rotate_neighbours(part, sin[None], cos[None]).transpose(1, 2)


def neox(x, dims):
    """Hugging Face's GPT-NeoX as it stands: only the first features turn."""
    length = x.shape[-2]
    part = torch.tensor(x).float()
    cos, sin = GPTNeoXRotaryEmbedding(dims, length)(part, seq_len=length)
    turned, _ = rotate_neox(part[..., :dims], part[..., :dims], cos, sin,
                            torch.arange(length)[None])
    return torch.cat([turned, part[..., dims:]], -1)


x = grid(numbers("rotary"), 2, 2, 5, 6)
turn("rotary half", x, layout="half", checked=llama(x),
     note="Hugging Face's Llama rotation, fed with float64 angles; agrees with Llama as it stands.")
turn("rotary interleaved", x, layout="interleaved", checked=gptj(x),
     note="Hugging Face's GPT-J rotation, fed with float64 angles; agrees with GPT-J as it stands.")
x = grid(numbers("rotary partial"), 1, 2, 4, 7)
turn("rotary half, the first 4 of 7 features", x, layout="half", dims=4, checked=neox(x, 4),
     note="Hugging Face's rotation, float64 angles; agrees with GPT-NeoX as it stands.")
turn("rotary interleaved, the first 4 of 7 features", x, layout="interleaved", dims=4)
turn("rotary half, the first 2 of 7 features", x, layout="half", dims=2)
x = grid(numbers("rotary positions"), 2, 4, 8)
for layout in ("half", "interleaved"):
    turn(f"rotary {layout}, positions", x, [7, 0, 3, 3], layout=layout)
    turn(f"rotary {layout}, offset 9", x, offset=9, layout=layout)
    turn(f"rotary {layout}, base 500000", x, layout=layout, base=500000.0,
         checked=llama(x[None], 500000)[0] if layout == "half" else None)
    turn(f"rotary {layout}, position 1,000,000", x, offset=1000000, layout=layout)
    turn(f"rotary {layout}, positions, base and dims", x, [1, 100, 10000, 2], layout=layout,
         base=100.0, dims=6)
turn("rotary of a matrix", x[0], layout="half")
turn("rotary of position 0 changes nothing", x[0, :1], layout="interleaved")
turn("rotary of width 2", grid(numbers("rotary 2"), 3, 2), layout="half")
turn("rotary of width 66", grid(numbers("rotary 66"), 2, 66), offset=3, layout="half")
turn("rotary of width 66, interleaved", grid(numbers("rotary 66"), 2, 66), offset=3,
     layout="interleaved")

# ALiBi.
for heads in range(1, 17):
    slopes = alibi_slopes(heads)
    bloom = build_alibi_tensor(torch.ones(1, 2), heads, torch.float32)[:, 0, 1]
    close(slopes / bloom.numpy(), 1, 1e-6)
    golden.add(f"slopes for {heads} heads", "position.alibiSlopes", [heads],
               expected={"output": slopes}, tolerance={"relative": 2e-7, "absolute": 0},
               note="float64 formula of the paper; agrees with Hugging Face's Bloom.")
for heads, query_length, key_length in ((1, 3, 3), (2, 4, 4), (3, 2, 5), (6, 5, 2), (12, 1, 4),
                                        (2, 0, 3)):
    bias = alibi(heads, query_length, key_length)
    bloom = build_alibi_tensor(torch.ones(1, key_length), heads, torch.float32).numpy()
    for i in range(query_length):  # Bloom's rows are shifted by a constant, which softmax forgets
        past = slice(0, min(i + 1, key_length))
        row = bias[:, i, past] - bias[:, i, :1]
        assert np.allclose(row, bloom[:, 0, past], rtol=1e-6, atol=1e-7)
    golden.add(f"bias for {heads} heads, {query_length} queries, {key_length} keys",
               "position.alibi", [],
               {"heads": heads, "queryLength": query_length, "keyLength": key_length},
               expected={"output": bias}, tolerance={"relative": 2e-7, "absolute": 0},
               note="-slope * |i - j|; agrees with Hugging Face's Bloom for j <= i, up to a "
                    "constant in each row.")


# T5's relative bias. A table that holds its own row numbers shows the bucket of each pair.
def buckets(query_length, key_length, bidirectional, count, distance):
    offsets = torch.arange(key_length)[None] - torch.arange(query_length)[:, None]
    return T5Attention._relative_position_bucket(offsets, bidirectional, count, distance).numpy()


for bidirectional in (True, False):
    word = "bidirectional" if bidirectional else "causal"
    for count, distance in ((32, 128), (8, 20), (16, 300), (6, 10), (4, 3)):
        options = {"bidirectional": bidirectional, "buckets": count, "maxDistance": distance}
        for query_length, key_length in ((300, 1), (1, 300)):
            if key_length == 300 and not bidirectional:
                key_length = 5  # what lies ahead is all in bucket 0
            found = buckets(query_length, key_length, bidirectional, count, distance)
            golden.add(
                f"bucket numbers, {word}, {count} buckets to {distance}, {query_length} queries, "
                f"{key_length} keys", "position.relativeBias", [np.arange(count)[:, None]],
                {"queryLength": query_length, "keyLength": key_length, **options},
                expected={"output": found[None]}, tolerance=EXACT,
                note="Hugging Face's T5Attention._relative_position_bucket.")

    module = T5Attention(T5Config(d_model=4, d_kv=2, num_heads=2, relative_attention_num_buckets=8,
                                  relative_attention_max_distance=16, is_decoder=not bidirectional),
                         has_relative_attention_bias=True)
    table_of_bias = grid(numbers(word), 8, 2)
    with torch.no_grad():
        module.relative_attention_bias.weight.copy_(torch.tensor(table_of_bias))
        bias = module.compute_bias(4, 9)[0].numpy()
    golden.add(f"relative bias, {word}", "position.relativeBias", [table_of_bias],
               {"queryLength": 4, "keyLength": 9, "bidirectional": bidirectional, "buckets": 8,
                "maxDistance": 16},
               expected={"output": bias}, tolerance=EXACT,
               note="Hugging Face's T5Attention.compute_bias.")
golden.add("relative bias, 32 buckets to 128 unless said otherwise", "position.relativeBias",
           [np.arange(32)[:, None] / 8],
           {"queryLength": 3, "keyLength": 40, "bidirectional": True},
           expected={"output": buckets(3, 40, True, 32, 128)[None] / 8}, tolerance=EXACT,
           note="Hugging Face's T5Attention._relative_position_bucket.")

# The matrix that carries position i to i + delta.
for delta, dim, base in ((5, 32, None), (1, 4, None), (-3, 6, None), (17, 8, 500.0), (0, 4, None),
                         (1000000, 4, None)):
    options = {"delta": delta, "dim": dim, **({} if base is None else {"base": base})}
    matrix = rotation(**options)
    rows = {} if base is None else {"base": base}
    start = sinusoid(4, dim, offset=100, **rows)
    end = sinusoid(4, dim, offset=100 + delta, **rows)
    close(start @ matrix.T, end, 1e-9)
    if delta == 5:
        close(matrix[6:8, 6:8], [[0.6300803045, 0.7765299800], [-0.7765299800, 0.6300803045]],
              5.001e-11)
    golden.add(f"rotation by {delta}, width {dim}" + ("" if base is None else f", base {base:g}"),
               "position.rotation", [], options, expected={"output": matrix}, tolerance=TIGHT,
               note="float64; carries the sinusoidal table's rows 100 to 103 on by delta.")

# The binary clock: bit k of the position in column k, so that columns turn every 1, 2, 4, 8.
for length, bits in ((16, 4), (5, 1), (3, 8), (0, 3)):
    output = np.array([[(position >> bit) & 1 for bit in range(bits)]
                       for position in range(length)], float).reshape(length, bits)
    golden.add(f"binary, {length} positions, {bits} bits", "position.binary", [],
               {"length": length, "bits": bits}, expected={"output": output}, tolerance=EXACT,
               note="By definition.")

# The layer.
config = {"dim": 6, "maxLength": 9}
torch.set_default_dtype(torch.float64)
layer = scope["PositionalEncoding"](6, 0.0, 9).eval()
x = grid(numbers("layer"), 2, 4, 6)
added = layer(torch.tensor(x)).numpy()
torch.set_default_dtype(torch.float32)
golden.add("layer: its table", "PositionalEncoding.create", [config],
           expected={"table": d2l_table(9, 6)}, tolerance=TIGHT,
           note="D2L's PositionalEncoding run in float64.")
golden.add("layer: adds the first rows to its input", "PositionalEncoding.forward",
           [config, d2l_table(9, 6), x], {}, expected={"output": added},
           note="D2L's PositionalEncoding run in float64.")
golden.add("layer: dropout only in training", "PositionalEncoding.forward",
           [{**config, "dropout": 0.5}, d2l_table(9, 6), x], {"training": False},
           expected={"output": added}, note="D2L's PositionalEncoding run in float64.")
golden.add("layer: input longer than the table", "PositionalEncoding.forward",
           [{"dim": 4, "maxLength": 3}, np.zeros((3, 4)), np.zeros((1, 5, 4))], {},
           error={"code": "shape", "mentions": ["5", "3"]},
           note="Must be refused; the sentence holds both lengths.")

golden.save()
