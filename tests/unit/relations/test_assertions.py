"""What must be true of the outputs before and after."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from robust import (
    Assertion,
    DataError,
    UsageError,
    assertion_of,
    consistent_pick,
    equivalent,
    not_greater,
    not_less,
    scales_by,
    shifts_by,
    unchanged,
)


class Colour(Enum):
    """Labels of a class of their own."""

    RED = 1
    BLUE = 2


@dataclass
class Total:
    """A typical output of an extractor."""

    amount: float
    currency: str


class Nameless:
    """A class that does not say when two of it are equal."""


HOLDS: list[tuple[Any, Any]] = [
    (1, 1.0),
    (0.1 + 0.2, 0.3),
    (1e-300, 1e-300),
    (Decimal("0.1"), 0.1),
    (Decimal("NaN"), math.nan),
    (Fraction(1, 3), 1 / 3),
    (10**400, 10**400),
    ([1, 2], (1, 2)),
    (np.array([0.1 + 0.2, math.nan]), np.array([0.3, math.nan])),
    (np.float32(0.5), 0.5),
    (np.array([1, 2]), [1, 2]),
    (np.True_, True),
    ({"a": 1, "b": [0.3]}, {"b": [0.1 + 0.2], "a": 1}),
    ({1, 2}, {2, 1}),
    (Colour.RED, Colour.RED),
    (Total(0.1 + 0.2, "EUR"), Total(0.3, "EUR")),
    (None, None),
    (1 + 1e-12j, 1 + 0j),
    (Decimal("1e999999999"), Decimal("1e999999999")),
]
DIFFERS: list[tuple[Any, Any]] = [
    (True, 1),
    (False, 0.0),
    ("1", 1),
    ("1.10", "1.1"),
    (None, 0),
    (12345678901, 12345678902),
    (1.0, 1.0 + 1e-8),
    (Decimal("1e999999999"), Decimal("2e999999999")),
    (Decimal("1e999999999"), 1.0),
    (Fraction(1, 3), 0.3333),
    (10**400, 10**400 + 1),
    (10**400, 1.5),
    ([1, 2], [2, 1]),
    ([1], [1, 2]),
    (np.array([1.0, 2.0]), np.array([[1.0, 2.0]])),
    (np.array([1.0, math.nan]), np.array([1.0, 2.0])),
    (np.array([True]), np.array([1])),
    ({"a": 1}, {"a": 1, "b": None}),
    ({1: "x"}, {True: "x"}),
    ({1}, {True}),
    (Colour.RED, Colour.BLUE),
    (Colour.RED, 1),
    (Total(1.0, "EUR"), Total(1.0, "USD")),
    (b"a", "a"),
]


@pytest.mark.parametrize(("before", "after"), HOLDS, ids=repr)
def test_outputs_that_are_the_same(before: Any, after: Any) -> None:
    """In both directions."""
    assert unchanged().holds(before, after)
    assert unchanged().holds(after, before)


@pytest.mark.parametrize(("before", "after"), DIFFERS, ids=repr)
def test_outputs_that_are_not(before: Any, after: Any) -> None:
    """In both directions."""
    assert not unchanged().holds(before, after)
    assert not unchanged().holds(after, before)


def test_tolerances_are_the_larger_of_both() -> None:
    """Also between integers, if one is asked for."""
    assert unchanged(abs_tol=1).holds(100, 101)
    assert unchanged(rel_tol=0.01).holds(100, 101)
    assert not unchanged(rel_tol=0.001).holds(100, 101)
    assert unchanged(rel_tol=0.1).holds(-10.0, -11.0)
    assert unchanged(abs_tol=0.5).holds(np.array([1, 2]), np.array([1, 2]))
    assert unchanged(abs_tol=1).holds(np.array([1, 2**62]), np.array([2, 2**62 + 1]))
    assert not unchanged(rel_tol=0.5).holds(-1.7e308, 1.7e308)


def test_what_cannot_be_compared_is_an_error() -> None:
    """A class without an ``==`` would call every two outputs different."""
    with pytest.raises(DataError, match="does not say when"):
        unchanged().holds(Nameless(), Nameless())


def test_picks_are_compared_as_texts_are_read() -> None:
    """White space around them and the form of Unicode do not matter, nor does a tolerance help numbers."""
    pick = consistent_pick()
    assert pick.holds("cafe\u0301", " café\n")
    assert not pick.holds("Yes", "yes")
    assert not pick.holds(0.1 + 0.2, 0.3)


def test_scaled_and_shifted_numbers() -> None:
    """Decimals too; text is an error."""
    assert scales_by(2).holds(0.15, 0.3)
    assert not scales_by(2).holds(-10, -10)
    assert scales_by(1.5).holds(Decimal(10), Decimal("15.0"))
    assert scales_by(2).holds(math.inf, math.inf)
    assert shifts_by(10**6).holds(1e-3, 10**6 + 1e-3)
    assert not shifts_by(-1).holds(5, 5)
    assert shifts_by(0.5).holds(Decimal("0.1"), Decimal("0.6"))
    with pytest.raises(DataError, match="compares numbers"):
        scales_by(2).holds("1", "2")
    with pytest.raises(DataError, match="compares numbers"):
        shifts_by(2).holds(True, 3)


def test_one_sided_assertions_look_at_their_side_alone() -> None:
    """Within the tolerance nothing is less."""
    assert not_less().holds(-10, -9)
    assert not not_less().holds(-9, -10)
    assert not_less().holds(0.3, 0.1 + 0.2)
    assert not_less().holds(0.1 + 0.2, 0.3)
    assert not_less(abs_tol=1).holds(10, 9)
    assert not_greater().holds(10, -1000)
    assert not not_greater().holds(-1000, -10)
    assert not_less().holds(math.nan, math.nan)
    assert not not_less().holds(1.0, math.nan)
    assert not_less().holds(math.inf, math.inf)
    with pytest.raises(DataError, match="order"):
        not_less().holds(1j, 2j)


def test_embeddings_are_asked_for_once_for_each_output() -> None:
    """And compared by the angle between them."""
    asked: list[str] = []

    def embed(text: str) -> list[float]:
        asked.append(text)
        return [1e200, 0.0] if "north" in text else [0.0, 1e-200]

    same = equivalent(embed, 0.9)
    assert same.holds("north", "northward")
    assert not same.holds("north", "east")
    assert same.holds("east", "east")
    assert sorted(asked) == ["east", "north", "northward"]


@pytest.mark.parametrize(
    "vector", [[], [0.0, 0.0], [math.nan, 1.0], [math.inf, 1.0], [[1.0, 2.0]], "text", None, [1.0, 2.0, 3.0]]
)
def test_bad_embeddings_are_errors_and_never_pass(vector: Any) -> None:
    """Empty, without direction, not finite, of another shape or length."""
    same = equivalent(lambda text: [1.0, 1.0] if text == "good" else vector, -1.0)
    with pytest.raises(DataError) as refused:
        same.holds("good", "bad")
    assert refused.value.code == "bad_embedding"


@pytest.mark.parametrize(
    "make",
    [
        lambda: scales_by(0),
        lambda: scales_by(math.nan),
        lambda: shifts_by(math.inf),
        lambda: unchanged(rel_tol=1.0),
        lambda: unchanged(rel_tol=-0.1),
        lambda: unchanged(abs_tol=-1),
        lambda: unchanged(abs_tol=math.inf),
        lambda: unchanged(rel_tol=True),
        lambda: equivalent(lambda text: [1.0], 1.5),
        lambda: equivalent("no function", 0.5),  # type: ignore[arg-type]
        lambda: Assertion("no function"),  # type: ignore[arg-type]
    ],
)
def test_arguments_out_of_range_are_refused(make: Any) -> None:
    """With the name of the argument."""
    with pytest.raises(UsageError) as refused:
        make()
    assert refused.value.code == "bad_assertion"


@pytest.mark.parametrize(
    "made",
    [unchanged(), unchanged(0.1, 2), consistent_pick(), scales_by(2), shifts_by(-1.5), not_less(), not_greater(0.1)],
)
def test_named_assertions_are_made_again_from_their_settings(made: Assertion) -> None:
    """What a record says of them is enough."""
    again = assertion_of(made.name, made.settings)
    assert again is not None
    assert (again.name, again.settings, again.labels) == (made.name, made.settings, made.labels)


def test_assertions_that_need_a_function_are_not_made_again() -> None:
    """Settings that fit no assertion are refused."""
    assert assertion_of("custom", {}) is None
    assert assertion_of("equivalent", {"threshold": 0.5}) is None
    for settings in ({"k": 0, "rel_tol": None, "abs_tol": 0}, {"factor": 2}, {"k": 2}):
        with pytest.raises(UsageError):
            assertion_of("scales_by", settings)


@pytest.mark.parametrize("given", [None, 1, "maybe", np.array([True, False]), []])
def test_a_function_that_gives_no_truth_value_is_an_error(given: Any) -> None:
    """A forgotten ``return`` is neither a pass nor a contradiction."""
    with pytest.raises(DataError, match="True or False is due"):
        Assertion(lambda due, after: given).holds(1, 1)


def test_explanations_say_what_was_due_and_what_came() -> None:
    """In one line."""
    assert unchanged().explain(7.95, 7.5) == "expected 7.95, got 7.5 (off by -0.45)"
    assert scales_by(2).explain(2, 5) == "expected 4, got 5 (off by 1)"
    assert not_less().explain(2, 1) == "expected at least 2, got 1 (off by -1)"
    assert len(unchanged().explain("x" * 5000, "y" * 5000)) < 500
