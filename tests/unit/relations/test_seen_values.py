"""Telling values of a check from each other by their keys."""

from __future__ import annotations

import pickle
from itertools import pairwise

import pytest

from robust.relations.seen_values import Key, SeenValues

ENDS = "x" * 3000
KEYS: list[Key] = [
    "",
    "short",
    b"short",
    ENDS,
    ENDS + "x",
    ENDS + "y" + ENDS,
    ENDS + "z" + ENDS,
    (ENDS + "z" + ENDS).encode(),
    ("x",) * 65,
    ("x",) * 100,
    ("x",) * 50 + ("y",) + ("x",) * 49,
    ("x",) * 50 + ("z",) + ("x",) * 49,
    (1,) * 100,
]


@pytest.mark.parametrize("first", KEYS, ids=range(len(KEYS)))
def test_each_key_is_new_once(first: Key) -> None:
    """Also long ones with the same ends, whichever was there first, and equal ones that are other objects."""
    seen = SeenValues(first)
    others = [key for key in KEYS if key is not first]
    assert not seen.add(copied(first))
    assert [seen.add(key) for key in others] == [True] * len(others)
    assert [seen.add(copied(key)) for key in KEYS] == [False] * len(KEYS)


def test_the_same_object_again_is_not_new() -> None:
    """A transform may give one and the same text each time."""
    seen = SeenValues("base")
    assert seen.add(ENDS)
    assert not seen.add(ENDS)


def test_many_that_differ_in_the_middle_alone_are_told_apart() -> None:
    """Each of them is new, and none is a second time."""
    keys = [f"{ENDS}{number:04}{ENDS}" for number in range(2000)]
    seen = SeenValues(keys[0])
    assert all(seen.add(key) for key in keys[1:])
    assert not any(seen.add(copied(key)) for key in keys)
    assert all(one != other for one, other in pairwise(keys))


def copied(key: Key) -> Key:
    """An equal key that is another object, where there are several."""
    again: Key = pickle.loads(pickle.dumps(key))  # noqa: S301 - it was made here
    return again
