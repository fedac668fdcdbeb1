"""philox.json: known answers of Philox4x32-10, the counter-based generator of Salmon et al. 2011.

The first three are those that Random123 publishes (`tests/kat_vectors`, the lines `philox4x32 10`
of release 1.14.0). Here the package randomgen, which has its own Philox4x32-10, must give the same,
and adds a few more.
"""

from randomgen import Philox

from golden import Golden

PUBLISHED = [
    ("00000000 00000000 00000000 00000000", "00000000 00000000",
     "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff",
     "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0",
     "d16cfe09 94fdcceb 5001e420 24126ea1"),
]
MORE = [
    ("00000001 00000000 00000000 00000000", "00000000 00000000"),
    ("00000000 00000001 00000000 00000000", "00000000 00000000"),
    ("00000000 00000000 00000001 00000000", "00000000 00000000"),
    ("00000000 00000000 00000000 00000001", "00000000 00000000"),
    ("00000000 00000000 00000000 00000000", "00000001 00000000"),
    ("00000000 00000000 00000000 00000000", "00000000 00000001"),
    ("ffffffff 00000000 00000000 00000000", "0000002a 00000000"),
    ("80000000 7fffffff 0000ffff ffff0000", "deadbeef 01234567"),
]


def words(text):
    return [int(word, 16) for word in text.split()]


def joined(parts):
    """One integer from 32-bit words, the least significant first."""
    return sum(word << (32 * place) for place, word in enumerate(parts))


def block(counter, key):
    """The four words of one counter. randomgen counts up before it draws, so it starts one less."""
    start = (joined(counter) - 1) % 2**128
    generator = Philox(counter=start, key=joined(key), number=4, width=32)
    return [int(word) & 0xFFFFFFFF for word in generator.random_raw(4)]


golden = Golden("philox", ("randomgen",))
for index, (counter, key, *answer) in enumerate(PUBLISHED + MORE):
    output = block(words(counter), words(key))
    if answer:
        assert output == words(answer[0]), (counter, key)
    golden.add(
        f"published vector {index + 1}" if answer else f"counter {counter}, key {key}", "philox",
        [words(counter), words(key)], expected={"output": {"shape": [4], "data": output}},
        tolerance={"relative": 0, "absolute": 0},
        note=("Random123's kat_vectors, confirmed by randomgen: " if answer else "randomgen: ")
        + " ".join(f"{word:08x}" for word in output))
golden.save()
