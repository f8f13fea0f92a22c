"""Laws of comparators: what they call equal does not depend on the side, and each answer equals itself."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from robust import Comparator
from robust.canon import canonical_bytes
from robust.records.comparator import as_fraction
from tests.laws.strategies import answers, comparators, decimals, json_values

NUMBER = Comparator(name="number")


@given(comparators, answers, answers)
def test_equality_is_symmetric(comparator: Comparator, left: Any, right: Any) -> None:
    """Exchanging the two answers changes nothing."""
    assert comparator.equal(left, right) == comparator.equal(right, left)


@given(comparators, answers)
def test_equality_is_reflexive_where_it_is_defined(comparator: Comparator, answer: Any) -> None:
    """An answer that a comparator can read equals itself; one that it cannot read has no equality at all."""
    assert comparator.equal(answer, answer) in (True, None)


@given(comparators, st.lists(st.none() | answers, max_size=4), st.randoms())
def test_agreement_knows_neither_order_nor_repetition(comparator: Comparator, said: list[Any], random: Any) -> None:
    """It is that of each two answers; what was not given disagrees with nothing, and no answer with itself."""
    agree = comparator.agree(said)
    assert agree == all(comparator.agree((one, other)) for one in said for other in said)
    again = [*said, *said]
    random.shuffle(again)
    assert comparator.agree(again) == agree
    assert all(comparator.agree((answer, None, answer)) for answer in said)


@given(comparators, answers, answers)
def test_order_is_antisymmetric_and_fits_equality(comparator: Comparator, left: Any, right: Any) -> None:
    """The order turns round with the sides, and is 0 exactly where a number or scale comparator says equal."""
    there, back = comparator.order(left, right), comparator.order(right, left)
    assert (there is None) == (back is None)
    if there is not None and back is not None:
        assert there == -back
        if comparator.name in ("number", "scale"):
            assert (there == 0) == comparator.equal(left, right)


@given(json_values, json_values)
def test_exact_equality_is_equality_of_canonical_bytes(left: Any, right: Any) -> None:
    """The default comparator judges on bytes."""
    assert Comparator().equal(left, right) == (canonical_bytes(left) == canonical_bytes(right))


@given(st.lists(answers, max_size=4), st.randoms())
def test_sets_know_neither_order_nor_repetition(items: list[Any], random: Any) -> None:
    """A list equals its shuffled double under the set comparator."""
    doubled = items * 2
    random.shuffle(doubled)
    assert Comparator(name="set").equal(items, doubled) is True


@given(decimals, decimals)
def test_decimal_text_is_compared_exactly(left: str, right: str) -> None:
    """Text numbers are compared as decimals, without a double in between."""
    assert NUMBER.equal(left, right) == (Decimal(left) == Decimal(right))
    assert NUMBER.order(left, right) == (Decimal(left) > Decimal(right)) - (Decimal(left) < Decimal(right))


@given(st.decimals(0, 10, places=2), st.decimals(-100, 100, places=2))
def test_a_difference_of_exactly_the_tolerance_is_within_it(tolerance: Decimal, answer: Decimal) -> None:
    """The edge of an absolute tolerance is inclusive, though the tolerance is stored as a double."""
    comparator = Comparator(name="number", abs_tol=float(tolerance))
    assert comparator.equal(str(answer), str(answer + tolerance)) is True
    assert comparator.equal(str(answer), str(answer + tolerance + Decimal("0.01"))) is False


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_double_counts_as_the_decimal_that_it_shows(number: float) -> None:
    """A double and its shortest text are one number."""
    assert as_fraction(number) == as_fraction(repr(number)) == Fraction(repr(number))


@given(comparators)
def test_a_comparator_survives_its_record(comparator: Comparator) -> None:
    """What is stored of a comparator makes the same comparator."""
    assert Comparator.model_validate(comparator.to_json()).to_json() == comparator.to_json()
