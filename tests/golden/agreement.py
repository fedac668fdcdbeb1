"""Adds a case only after another's implementation and the definition written out agree.

A definition runs in float64 and in float32: the second shows how far rounding alone moves the
numbers, so that no case asks for more than float32 can give.
"""

import numpy as np
import torch

from golden import TOLERANCE
from reference import convert


def difference(name, theirs, definition, closeness=1e-9):
    """Stops when two computations of the same thing differ."""
    theirs, definition = (np.asarray(x, np.float64) for x in (theirs, definition))
    assert theirs.shape == definition.shape, (name, theirs.shape, definition.shape)
    with np.errstate(invalid="ignore"):
        error = np.where(theirs == definition, 0, np.abs(theirs - definition))
    assert not error.size or error.max() <= closeness, (name, float(error.max()))


def add_agreed(golden, name, operation, arguments, options=None, *, define, theirs=None,
               closeness=1e-9, tolerance=None, note):
    """`define(number)` gives the parts of the result, where `number` makes a tensor of an array in
    the precision at hand; `theirs` are those parts that another's implementation gives."""
    exact, rounded = ({part: np.asarray(entry) for part, entry in define(
        lambda array: convert(array, dtype)).items()} for dtype in (torch.float64, torch.float32))
    bound = tolerance or TOLERANCE
    for part, want in exact.items():
        with np.errstate(invalid="ignore"):
            error = np.where(rounded[part] == want, 0, np.abs(rounded[part] - want))
        room = bound["absolute"] + bound["relative"] * np.where(np.isfinite(want), np.abs(want), 0)
        assert np.all(error <= room / 2), (name, part, float(error.max()))
    expected = dict(exact)
    for part, entry in (theirs or {}).items():
        difference(f"{name}: {part}", entry, exact[part], closeness)
        expected[part] = np.asarray(entry, np.float64)
    golden.add(name, operation, arguments, options, expected=expected, tolerance=tolerance,
               note=note)


def apart(numbers, room=1e-3):
    """Whether no two of the last axis are so near that rounding could swap them."""
    ordered = np.sort(np.asarray(numbers), -1)
    return bool((np.diff(ordered, axis=-1) > room).all())


def drawn_until(fits, draw, name):
    """Draws again, from another stream, until choices are clear enough for float32."""
    for attempt in range(1000):
        result = draw(f"{name} {attempt}")
        if fits(*result):
            return result
    raise AssertionError(f"nothing fits: {name}")
