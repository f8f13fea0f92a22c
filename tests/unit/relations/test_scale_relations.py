"""The same quantities in another unit."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from robust import unit_scaling
from robust.errors import UsageError
from robust.relations.relation import NotApplicable


def test_every_number_is_multiplied_and_nothing_else() -> None:
    """In lists and dicts, each staying of its kind; truth values and texts are no quantities."""
    given = {"a": [1, 2.5, (Decimal("0.1"), Fraction(1, 3))], "b": True, "c": "3", "d": None}
    scaled = unit_scaling("x", factor=1000).variant({"x": given})["x"]
    assert scaled == {"a": [1000, 2500.0, (Decimal("100.0"), Fraction(1000, 3))], "b": True, "c": "3", "d": None}
    assert [type(each) for each in scaled["a"]] == [int, float, tuple]
    assert scaled["b"] is True


def test_scalars_and_arrays_of_numpy_keep_their_type() -> None:
    """Where the factor lets them."""
    scaled = unit_scaling().variant({"x": np.int64(3), "y": np.array([1.5, np.nan], dtype=np.float32)})
    assert (scaled["x"], type(scaled["x"])) == (6, np.int64)
    assert scaled["y"].dtype == np.float32
    assert np.array_equal(scaled["y"], np.array([3, np.nan]), equal_nan=True)
    assert unit_scaling(factor=0.5).variant(np.array([1, 2])).tolist() == [0.5, 1.0]


@pytest.mark.parametrize(
    "given",
    [
        *("text", None, True, [], {}, {"a": "b"}, 1e308, [1, -1e308], np.array([1e308]), np.array([], dtype=float)),
        *(np.array([100], dtype=np.int8), np.array(["a"]), np.int8(100)),
    ],
)
def test_what_has_no_number_or_would_overflow_is_skipped(given: Any) -> None:
    """A number that wraps round would be unfair."""
    with pytest.raises(NotApplicable):
        unit_scaling(factor=4).variant(given)


def test_a_number_that_would_vanish_is_skipped() -> None:
    """Zero stays zero, and what is not finite stays what it is."""
    with pytest.raises(NotApplicable, match="too small"):
        unit_scaling(factor=0.25).variant(5e-324)
    assert unit_scaling(factor=0.25).variant([0, float("inf")]) == [0, float("inf")]


def test_the_output_scales_by_a_power_of_the_factor() -> None:
    """A length, an area, or something that does not depend on the unit."""

    def holds(power: float, before: Any, after: Any) -> bool:
        return unit_scaling(factor=10, power=power).judged_by.holds(before, after)

    assert holds(1, 3.0, 30.0)
    assert not holds(1, 3.0, 3.0)
    assert holds(2, 3, 300)
    assert holds(0, "round", "round")
    assert holds(-1, 3.0, 0.3)


@pytest.mark.parametrize("options", [{"factor": 1}, {"factor": 0}, {"factor": -2}, {"factor": "2"}, {"factor": True}])
def test_a_factor_that_changes_nothing_or_turns_signs_is_refused(options: Any) -> None:
    """Naming it."""
    with pytest.raises(UsageError, match="factor"):
        unit_scaling(**options)


@pytest.mark.parametrize("power", ["2", None, 1e6, float("nan")])
def test_a_power_that_cannot_be_is_refused(power: Any) -> None:
    """Naming it."""
    with pytest.raises(UsageError, match="power"):
        unit_scaling(factor=2.5, power=power)


@pytest.mark.parametrize(
    ("units", "before", "after"),
    [
        (("kg", "g"), "a box of 2.55 kg", "a box of 2550 g"),
        (("g", "kg"), "5g and 0.5 g", "0.005kg and 0.0005 kg"),
        (("mi", "m"), "1 mi, not 1 mint", "1609.344 m, not 1 mint"),
        (("km", "m"), "1,500 km or 3 km or v1.2.3 km", "1,500 km or 3000 m or v1.2.3 km"),
        (("h", "min"), "2 h at 5 km/h", "120 min at 5 km/h"),
        (("m", "cm"), "2 m² or 3 m", "2 m² or 300 cm"),
    ],
)
def test_quantities_in_text_are_converted_exactly(units: tuple[str, str], before: str, after: str) -> None:
    """Plain numbers before the very unit; numbers that might be read otherwise are left alone."""
    relation = unit_scaling(units=units)
    assert relation.variant(before) == after
    assert relation.deterministic
    assert relation.judged_by.name == "unchanged"


@pytest.mark.parametrize("text", ["nothing", "1,500 kg", "kg", "12 KG", ""])
def test_text_without_a_plain_quantity_is_skipped(text: str) -> None:
    """So is one whose quantity has no exact decimals in the other unit."""
    with pytest.raises(NotApplicable):
        unit_scaling(units=("kg", "g")).variant(text)
    with pytest.raises(NotApplicable, match="no exact decimals"):
        unit_scaling(units=("min", "h")).variant("20 min")


@pytest.mark.parametrize(
    "units", ["kg", ("kg",), ("kg", "m"), ("kg", "kg"), ("kg", "stone"), ("kg", 3), ("dollars", "g")]
)
def test_units_that_are_not_two_of_one_kind_are_refused(units: Any) -> None:
    """Saying why."""
    with pytest.raises(UsageError, match="units"):
        unit_scaling(units=units)
