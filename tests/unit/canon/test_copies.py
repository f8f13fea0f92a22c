"""Copies and keys by way of a binary form."""

from __future__ import annotations

import math
from collections import OrderedDict
from decimal import Decimal
from typing import Any

import pytest

from robust.canon import copy_of_packed, pack_exactly, pack_with_key


@pytest.mark.parametrize(
    "value",
    [None, True, 5, -0.0, 2**63, "text", "žluť", b"\xc4", [1, [2.0, {"a": None}]], {"a": {"b": []}}, [130, 200, 255]],
)
def test_plain_values_come_back_equal_and_of_the_same_types(value: Any) -> None:
    """Bytes as well."""
    packed = pack_exactly(value)
    assert packed is not None
    assert repr(copy_of_packed(packed)) == repr(value)


@pytest.mark.parametrize(
    "value",
    [
        (1, 2),
        [(1,)],
        {1: 2},
        {1},
        Decimal(1),
        2**64,
        "\ud800",
        OrderedDict(),
        bytearray(b"a"),
        [{"a": bytearray()}],
        object(),
    ],
)
def test_everything_else_is_refused(value: Any) -> None:
    """A tuple would come back as a list, a bytearray as bytes."""
    assert pack_exactly(value) is None
    assert pack_with_key(value) is None


def test_keys_tell_types_apart_and_no_order() -> None:
    """The first form keeps the order of keys."""
    first, second = pack_with_key({"b": 1, "a": [2]}), pack_with_key({"a": [2], "b": 1})
    assert first is not None
    assert second is not None
    assert first[1] == second[1]
    assert list(copy_of_packed(first[0])) == ["b", "a"]
    values: list[Any] = [1, 1.0, True, 0.0, -0.0, math.nan, "1", b"1", [1], {"1": 1}]
    assert len({pack_exactly(value, sorted_keys=True) for value in values}) == len(values)


def test_a_value_that_holds_itself_is_refused() -> None:
    """It has no end."""
    loop: list[Any] = []
    loop.append(loop)
    assert pack_exactly(loop) is None
