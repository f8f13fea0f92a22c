"""Values of any model as JSON and back."""

from __future__ import annotations

import json
import math
from collections import OrderedDict
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from robust import DataError
from robust.canon import canonical_bytes, read_json
from robust.relations.stored_value import detached, digest_of, is_opaque, key_of_value, stored, thawed


@dataclass
class Point:
    """A value of a class of its own."""

    x: float


VALUES: list[Any] = [
    None,
    True,
    0,
    -(2**53) + 1,
    2**53,
    10**5000,
    0.5,
    1.0,
    -0.0,
    math.inf,
    -math.inf,
    1e300,
    "text",
    "\ud800 alone",
    b"\x00\xff",
    bytearray(b"ab"),
    [1, [2.0, "x"]],
    (1, (2,)),
    {1, 2},
    frozenset("ab"),
    {"a": 1, "b": {"c": []}},
    {"$type": "int"},
    {1: "a", (2, 3): "b", None: 1},
    {"\udcff": 1},
    Decimal("1.10"),
    Decimal("-Infinity"),
    Fraction(1, 3),
    1 + 2j,
    date(2024, 2, 29),
    datetime(2024, 2, 29, 1, 2, 3, 4, tzinfo=UTC),
    datetime(2024, 10, 27, 2, 30, fold=1),  # noqa: DTZ001 - one without a zone comes back as well
    time(1, 2, 3),
    timedelta(days=-1, microseconds=5),
    np.float32(0.1),
    np.int64(7),
    np.bool_(True),
    np.str_("text"),
    np.datetime64("2024-01-01"),
]


@pytest.mark.parametrize("value", VALUES, ids=[str(place) for place in range(len(VALUES))])
def test_a_value_comes_back_equal_and_of_the_same_type(value: Any) -> None:
    """Also by way of canonical bytes."""
    form = read_json(canonical_bytes(stored(value)))
    back = thawed(form)
    assert type(back) is type(value)
    assert back == value
    assert canonical_bytes(stored(back)) == canonical_bytes(stored(value))


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6).reshape(2, 3),
        np.array([], dtype=np.float32),
        np.array(3.5),
        np.array(["a", "bc"]),
        np.arange(4, dtype=">i4"),
        np.arange(12).reshape(3, 4).T,
    ],
)
def test_an_array_comes_back_with_shape_and_kind(array: Any) -> None:
    """Whatever the order of its bytes was."""
    back = thawed(stored(array))
    assert (back.shape, back.dtype.kind) == (array.shape, array.dtype.kind)
    assert np.array_equal(back, array)


def test_an_array_of_objects_comes_back() -> None:
    """Item by item."""
    array = np.array([1, "a", None, [2]], dtype=object)
    back = thawed(stored(array))
    assert (back.dtype, back.tolist()) == (array.dtype, array.tolist())


def test_nan_comes_back() -> None:
    """In a list and by itself."""
    back = thawed(stored([math.nan]))
    assert math.isnan(back[0])


def test_values_that_differ_in_type_alone_have_other_digests() -> None:
    """1, 1.0, True, "1"; a list and a tuple; 0.0 and −0.0."""
    values: list[Any] = [1, 1.0, True, "1", [1], (1,), {1}, Decimal(1), 0.0, -0.0, np.int64(1), np.int32(1), b"1"]
    assert len({digest_of(value) for value in values}) == len(values)
    assert len({key_of_value(value) for value in values}) == len(values)


def test_the_order_of_keys_does_not_matter() -> None:
    """Canonical JSON has none."""
    assert digest_of({"a": 1, "b": 2}) == digest_of({"b": 2, "a": 1})
    assert key_of_value({"a": 1, "b": {"x": 1, "y": 2}}) == key_of_value({"b": {"y": 2, "x": 1}, "a": 1})
    assert digest_of({1: "a", 2: "b"}) == digest_of({2: "b", 1: "a"})


def test_an_object_of_a_class_is_shown_but_does_not_come_back() -> None:
    """Its type and a capped text are kept, without addresses."""
    form = stored([Point(1.5), OrderedDict(a=1)])
    assert is_opaque(form)
    assert "Point(x=1.5)" in json.dumps(form)
    with pytest.raises(DataError) as refused:
        thawed(form)
    assert refused.value.code == "opaque_value"
    assert digest_of(object()) == digest_of(object())


def test_objects_that_only_look_alike_have_other_keys() -> None:
    """What a record shows of them may be cut."""
    long = [Point(0.0)] * 2000
    assert stored(tuple(long)) is not None
    assert key_of_value(Point(1.0)) != key_of_value(Point(1.0 + 2**-52))
    assert key_of_value(Point(1.0)) == key_of_value(Point(1.0))


def test_what_cannot_be_shown_is_named() -> None:
    """A ``repr`` that raises does not stop a record."""

    class Silent:
        def __repr__(self) -> str:
            raise RuntimeError("no")

    assert "repr raised RuntimeError" in json.dumps(stored(Silent()))


def test_a_value_within_itself_is_cut() -> None:
    """Records have a limit of depth."""
    loop: list[Any] = []
    loop.append(loop)
    assert is_opaque(stored(loop))


@pytest.mark.parametrize(
    "form",
    [
        {"$type": "no such type", "value": 1},
        {"$type": "int", "value": "zz"},
        {"$type": "Decimal", "value": "one"},
        {"$type": "numpy.ndarray", "dtype": "<f8", "shape": [3], "base64": "AAAA"},
        {"$type": "numpy.scalar", "dtype": "O", "base64": ""},
        {"$type": "bytes", "base64": "?"},
        {"$dict": [1]},
        {"$type": "date", "value": "yesterday"},
        {"$type": "set", "items": [[1]]},
    ],
)
def test_a_damaged_form_is_refused(form: Any) -> None:
    """By a DataError, and nothing else."""
    with pytest.raises(DataError):
        thawed(form)


@pytest.mark.parametrize("value", [[[1], {"a": [2]}], {"a": (1, [2])}, [bytearray(b"a")], {1: [1]}, [2**70, [1]]])
def test_a_copy_shares_nothing_that_can_change(value: Any) -> None:
    """It is equal, and of the same types throughout."""
    copy = detached(value)
    assert repr(copy) == repr(value)
    assert copy is not value


def test_what_cannot_be_copied_is_refused_by_name() -> None:
    """The hint says what to give."""
    with pytest.raises(DataError) as refused:
        detached(number for number in (1, 2))
    assert refused.value.code == "not_copyable"
    assert "generator" in str(refused.value)
