"""The seeded stream of random numbers: exact numbers, fairness, and nothing that it depends on but its parts."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust.canon import RandomStream
from robust.errors import DataError

PARTS = (7, "whitespace", "c1")
# Derived independently of the code: the SHA-256 of the canonical JSON of the parts, hashed with block numbers.
WORDS = [
    1544871794229329996,
    14323178533630157075,
    8662281382734713033,
    7146082880679492397,
    16736169284511480452,
    7474755213872450613,
]
# Prints numbers of every kind, with the libraries whose generators it must not touch in one known state.
PROGRAM = """
import random, sys
import numpy
from robust.canon import RandomStream
random.seed(int(sys.argv[1])); numpy.random.seed(int(sys.argv[1]))
before = random.getstate(), numpy.random.get_state()[1].tolist()
stream = RandomStream(1, "p", "\\u00e9")
print(stream.below(10**6), stream.below(2**70), stream.choice("abc"), stream.sample(list("abcdefgh"), 5))
assert before == (random.getstate(), numpy.random.get_state()[1].tolist())
"""


def _words(count: int) -> list[int]:
    key = hashlib.sha256(json.dumps(list(PARTS), separators=(",", ":")).encode()).digest()
    blocks = [hashlib.sha256(key + number.to_bytes(8, "big")).digest() for number in range(count)]
    joined = b"".join(blocks)
    return [int.from_bytes(joined[8 * place : 8 * place + 8], "big") for place in range(count)]


def test_the_numbers_are_these_for_ever() -> None:
    """Old runs are checked by making their candidates again."""
    stream = RandomStream(*PARTS)
    assert [stream.below(2**64) for _ in WORDS] == WORDS == _words(len(WORDS))
    assert RandomStream(*PARTS).sample("abcdefgh", 5) == ["e", "a", "h", "f", "b"]
    assert RandomStream(*PARTS).sample_below(10**30, 3) == [
        614840934998905532814889230611,
        761766147933360816421700694613,
        565661978697335800935758916709,
    ]


def test_what_would_favour_small_numbers_is_drawn_again() -> None:
    """Below three quarters of all words, the words of the last quarter are passed over."""
    limit = 3 * 2**62
    stream = RandomStream(*PARTS)
    fair = [word for word in _words(40) if word < limit]
    assert len(fair) < 40
    assert [stream.below(limit) for _ in fair] == fair


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 10])
def test_each_number_is_as_likely(limit: int) -> None:
    """Over 7,000 draws, within five standard deviations of what is due."""
    stream = RandomStream("fair", limit)
    counts = Counter(stream.below(limit) for _ in range(7000))
    assert set(counts) == set(range(limit))
    due = 7000 / limit
    assert all(abs(count - due) <= 5 * due**0.5 for count in counts.values())


def test_each_order_of_a_sample_is_as_likely() -> None:
    """All six of three items."""
    stream = RandomStream("orders")
    counts = Counter(tuple(stream.sample("abc", 3)) for _ in range(6000))
    assert len(counts) == 6
    assert all(abs(count - 1000) <= 5 * 1000**0.5 for count in counts.values())


@given(st.integers(0, 40), st.integers(0, 40), st.integers())
def test_a_sample_has_each_item_at_most_once(limit: int, count: int, seed: int) -> None:
    """As many as are asked for, or all there are."""
    drawn = RandomStream(str(seed)).sample_below(limit, count)
    assert len(drawn) == len(set(drawn)) == min(limit, count)
    assert set(drawn) <= set(range(limit))


def test_a_sample_of_very_many_takes_room_for_what_is_drawn() -> None:
    """So that the orders of a hundred labels can be drawn from."""
    limit = 10**150
    drawn = RandomStream("many").sample_below(limit, 100)
    assert len(set(drawn)) == 100
    assert all(0 <= number < limit for number in drawn)
    assert max(drawn) > limit // 2


@given(st.lists(st.one_of(st.integers(-(2**53) + 1, 2**53 - 1), st.text(max_size=4)), max_size=4))
def test_only_the_parts_decide(parts: list[object]) -> None:
    """Equal parts give equal streams, and another part at the end another one."""
    numbers = [RandomStream(*parts).below(2**64) for _ in range(2)]
    assert numbers[0] == numbers[1] != RandomStream(*parts, "").below(2**64)


def test_parts_are_not_just_put_one_behind_the_other() -> None:
    """Neither do numbers and their texts stand for each other."""
    made = [("ab", "c"), ("a", "bc"), ("abc",), (1,), ("1",), (["ab", "c"],), ()]
    assert len({RandomStream(*parts).below(2**64) for parts in made}) == len(made)


def test_no_generator_of_a_library_has_a_part_in_it() -> None:
    """Other seeds of them and other hashes of texts change nothing, and it does not move them."""
    shown = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM, seed], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(shown) == 1


def test_wrong_limits_and_parts_are_refused() -> None:
    """Rather than an endless loop, or a stream that is another one elsewhere."""
    for limit in (0, -1):
        with pytest.raises(ValueError, match="positive"):
            RandomStream(1).below(limit)
    with pytest.raises(ValueError, match="positive"):
        RandomStream(1).choice([])
    for part in (float("nan"), object(), 2**53 + 1):
        with pytest.raises(DataError):
            RandomStream(part)
