"""Examples of comparators."""

from __future__ import annotations

from typing import Any

import pytest

from robust import CaseError, Comparator
from robust.records.comparator import as_fraction, read_comparator

SCALE = Comparator(name="scale", levels=("low", "middle", "high"))


@pytest.mark.parametrize(
    ("comparator", "left", "right", "equal"),
    [
        (Comparator(), 42, 42.0, True),
        (Comparator(), "42", 42, False),
        (Comparator(), "A", "a", False),
        (Comparator(), "é", "e\u0301", False),
        (Comparator(), [1, 2], [2, 1], False),
        (Comparator(), {"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        (Comparator(name="text"), "é", "e\u0301", True),
        (Comparator(name="text"), "A", "a", False),
        (Comparator(name="text", fold_case=True), "STRASSE", "straße", True),
        (Comparator(name="text", fold_space=True), " a  b", "a b", True),
        (Comparator(name="text"), "1", 1, None),
        (Comparator(name="number"), "1.10", 1.1, True),
        (Comparator(name="number"), "0.1", 0.1, True),
        (Comparator(name="number"), "1e3", 1000, True),
        (Comparator(name="number"), "1E3", "1000.0", True),
        (Comparator(name="number"), "0.3", 0.1 + 0.2, False),
        (Comparator(name="number"), "10000000000000000000001", "10000000000000000000000", False),
        (Comparator(name="number"), "NaN", "NaN", None),
        (Comparator(name="number"), "Infinity", 1, None),
        (Comparator(name="number"), "1,000", 1000, None),
        (Comparator(name="number"), "٣", 3, None),
        (Comparator(name="number"), True, 1, None),
        (Comparator(name="number"), "1e99999", 1, None),
        (Comparator(name="number"), "1_000", 1000, None),
        (Comparator(name="number"), " 1", 1, None),
        (Comparator(name="number", abs_tol=0.5), "1.5", 1, True),
        (Comparator(name="number", abs_tol=0.5), "1.51", 1, False),
        (Comparator(name="number", rel_tol=0.1), 100, 90, True),
        (Comparator(name="number", rel_tol=0.1), 100, 89, False),
        (Comparator(name="set"), ["a", "b", "a"], ["b", "a"], True),
        (Comparator(name="set"), [1, 1.0], [1], True),
        (Comparator(name="set"), ["a"], "a", None),
        (Comparator(name="json"), '{"a": 1.0}', {"a": 1}, True),
        (Comparator(name="json"), "{'a': 1}", {"a": 1}, None),
        (Comparator(name="json"), '{"a":1,"a":1}', {"a": 1}, None),
        (SCALE, "low", "low", True),
        (SCALE, "low", "high", False),
        (SCALE, "low", "lowest", None),
    ],
)
def test_answers_are_equal_different_or_not_comparable(
    comparator: Comparator, left: Any, right: Any, equal: bool | None
) -> None:
    """None is for answers that the comparator cannot read, which is not the same as different."""
    assert comparator.equal(left, right) is equal
    assert comparator.equal(right, left) is equal


def test_numbers_and_scales_have_an_order_and_other_text_has_none() -> None:
    """Numbers by value, also in text; members of a scale by their place."""
    assert Comparator().order("9", "10") == -1
    assert Comparator().order("b", "a") is None
    assert SCALE.order("high", "middle") == 1
    assert SCALE.order("high", "highest") is None


def test_a_huge_exponent_does_not_fill_the_memory() -> None:
    """Text such as 1e999999999 is no number here."""
    assert as_fraction("1e999999999") is None


@pytest.mark.parametrize(
    "wrong",
    [
        "exakt",
        {"name": "exact", "fold_case": True},
        {"name": "number", "abs_tol": -1},
        {"name": "number", "rel_tol": 1},
        {"name": "number", "abs_tol": float("inf")},
        {"name": "scale"},
        {"name": "scale", "levels": [1, 1.0]},
        {"name": "text", "unknown": 1},
        7,
    ],
)
def test_a_wrong_comparator_is_refused_with_its_place(wrong: Any) -> None:
    """Unknown names, foreign settings and impossible values are case errors below ``comparator``."""
    with pytest.raises(CaseError) as caught:
        read_comparator(wrong)
    assert all((problem.path or "").startswith("comparator") for problem in caught.value.problems)


def test_only_its_own_settings_are_stored() -> None:
    """The record of a comparator names it and what belongs to it."""
    assert Comparator().to_json() == {"name": "exact"}
    assert Comparator(name="number", abs_tol=0.5).to_json() == {"name": "number", "abs_tol": 0.5, "rel_tol": 0.0}
    assert SCALE.to_json() == {"name": "scale", "levels": ["low", "middle", "high"]}
