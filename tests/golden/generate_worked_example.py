"""worked_example.json: three tokens, every number known, and what each option makes of them.

The numbers are worked out again in float64 and must agree, to the last digit printed, with the
list they were published in (`PUBLISHED`).
"""

import numpy as np

import masks
from golden import Golden
from reference import attention_case

golden = Golden("worked_example")

QUERY = np.array([[1, 0, 2], [2, 2, 2], [2, 1, 3]])
KEY = np.array([[0, 1, 1], [4, 4, 0], [2, 3, 1]])
VALUE = np.array([[1, 2, 3], [2, 8, 0], [2, 6, 3]])
ALL = ("weights", "scores", "logSumExp")

PUBLISHED = {
    "exact": {
        "options": {"score": "dot"},
        "scores": "2 4 4 / 4 16 12 / 4 12 10",
        "weights": "0.06337893833 0.4683105308 0.4683105308 / 6.033664855e-6 0.9820078649 "
                   "0.01798610144 / 2.953872230e-4 0.8805369018 0.1191677110",
        "output": "1.936621062 6.683105308 1.595068407 / 1.999993966 7.963991595 0.05397640531 / "
                  "1.999704613 7.759892255 0.3583892947"},
    "divided by the root of 3": {
        "options": {},
        "weights": "0.1361258 0.4319371 0.4319371 / 8.904474e-4 0.9088426 0.09026691 / "
                   "0.007444892 0.7547076 0.2378475",
        "output": "1.863874 6.319371 1.704189 / 1.999110 7.814124 0.2734721 / "
                  "1.992555 7.479636 0.7358773"},
    "relu, each row divided by its sum": {
        "options": {"score": "dot", "normalizer": "relu"},
        "weights": "0.2 0.4 0.4 / 0.125 0.5 0.375 / 0.1538462 0.4615385 0.3846154",
        "output": "1.8 6 1.8 / 1.875 6.5 1.5 / 1.846154 6.307692 1.615385"},
    "cosine": {
        "options": {"score": "cosine"},
        "scores": "0.6324555 0.3162278 0.4780914 / 0.8164966 0.8164966 0.9258201 / "
                  "0.7559289 0.5669467 0.7142857",
        "first row of weights": "0.3867195 0.2818773 0.3314032"},
    "hard": {  # query 1 ties between keys 2 and 3: the first wins
        "options": {"score": "dot", "normalizer": "hard"},
        "weights": "0 1 0 / 0 1 0 / 0 1 0",
        "output": "2 8 0 / 2 8 0 / 2 8 0"},
    "causal": {
        "options": {"score": "dot", "mask": masks.causal()},
        "weights": "1 0 0 / 6.144175e-6 0.9999939 0 / 2.953872e-4 0.8805369 0.1191677",
        "first two rows of output": "1 2 3 / 1.999994 7.999963 1.843252e-5"},
}


def agrees(computed, printed):
    """Every number, rounded to as many digits as were printed, is the printed one.

    A number of fewer than six digits, such as 1.8, was printed whole.
    """
    wanted = [row.split() for row in printed.split(" / ")]
    for got_row, want_row in zip(np.asarray(computed), wanted):
        for got, want in zip(got_row, want_row):
            digits = len(want.split("e")[0].replace(".", "").lstrip("0"))
            place = 10.0 ** (np.floor(np.log10(abs(float(want)) or 1)) - digits + 1)
            room = 1e-12 if digits < 6 else place / 2 * 1.0001
            assert abs(got - float(want)) <= room, (got, want)


for name, published in PUBLISHED.items():
    options = dict(published["options"])
    normalizer = options.get("normalizer", "softmax")
    exact = attention_case(
        golden, name, QUERY, KEY, VALUE, returns=ALL if normalizer == "softmax" else ALL[:2],
        note="Agrees with the published numbers.", **options)
    for part, printed in published.items():
        if part != "options":
            agrees(exact[part.split()[-1]], printed)

# One head in a batch, and the same three tokens twice, must not change a number.
attention_case(golden, "exact, as batch and heads", np.broadcast_to(QUERY, (2, 2, 3, 3)),
               np.broadcast_to(KEY, (2, 2, 3, 3)), np.broadcast_to(VALUE, (2, 2, 3, 3)),
               score="dot")

# "Thinking Machines": scores 112 and 96 at width 64, divided by 8.
thinking = attention_case(
    golden, "112 and 96 divided by 8", np.ones((1, 64)),
    np.stack([np.full(64, 1.75), np.full(64, 1.5)]), np.eye(2), returns=ALL,
    note="Agrees with the published numbers.")
agrees(thinking["scores"], "14 12")
agrees(thinking["output"], "0.8807970780 0.1192029220")

golden.save()
