"""Whether outputs differ by more than the base differs from itself."""

from __future__ import annotations

import math

import pytest
from scipy.stats import fisher_exact  # type: ignore[import-untyped]

from robust import Assertion, DataError, not_less, scales_by, shifts_by, unchanged
from robust.relations.noise_test import compare_base_runs, compare_outputs, most_contradicted


def p_of(assertion: Assertion, before: list[object], after: list[object]) -> float:
    return compare_outputs(assertion, [assertion.due(each) for each in before], after, "seed").p_value


@pytest.mark.parametrize(("base_b", "after_b"), [(0, 6), (1, 6), (3, 3), (5, 0), (2, 5)])
def test_labels_of_two_kinds_are_tested_by_fisher(base_b: int, after_b: int) -> None:
    """Two-sided, as scipy does it."""
    before = ["B"] * base_b + ["A"] * (6 - base_b)
    after = ["B"] * after_b + ["A"] * (8 - after_b)
    due = fisher_exact([[base_b, 6 - base_b], [after_b, 8 - after_b]]).pvalue
    assert p_of(unchanged(), list(before), list(after)) == pytest.approx(due)


def test_six_against_six_is_the_p_value_of_the_specification() -> None:
    """0 of 6 against 6 of 6, as labels and as numbers."""
    assert p_of(unchanged(), ["A"] * 6, ["B"] * 6) == pytest.approx(2 / math.comb(12, 6))
    assert p_of(unchanged(), [1.0] * 6, [2.0] * 6) == pytest.approx(2 / math.comb(12, 6))


def test_outputs_that_are_all_the_same_show_nothing() -> None:
    """The p value is 1."""
    found = compare_outputs(unchanged(), ["A"] * 3, ["A"] * 5, "seed")
    assert (found.p_value, found.disagreements) == (1.0, 0)


def test_one_sided_assertions_are_tested_on_their_side() -> None:
    """A rise is no sign of a fall."""
    assert p_of(not_less(), [5.0] * 6, [1.0] * 6) == pytest.approx(1 / math.comb(12, 6))
    assert p_of(not_less(), [5.0] * 6, [9.0] * 6) > 0.5


def test_scaled_and_shifted_outputs_are_compared_with_what_is_due() -> None:
    """The base's own differences are scaled along."""
    before: list[object] = [1.0, 2.0] * 3
    assert p_of(scales_by(10), before, [10.0, 20.0] * 3) > 0.5
    assert p_of(scales_by(10), before, [1.0, 2.0] * 3) < 0.01
    assert p_of(shifts_by(5), before, [6.0, 7.0] * 3) > 0.5


def test_where_there_are_too_many_relabellings_the_seed_decides_which() -> None:
    """The same seed gives the same p value, and never 0."""
    before: list[object] = [float(number) for number in range(10)]
    after: list[object] = [float(number) for number in range(100, 120)]
    found = [compare_outputs(unchanged(), before, after, seed) for seed in ("one", "one", "two")]
    assert found[0] == found[1]
    assert all(0 < each.smallest_p <= each.p_value <= 1 for each in found)


def test_the_base_is_compared_with_itself() -> None:
    """The reference is the run with which most others agree."""
    assert compare_base_runs(unchanged(), ["A"], declared=True).state == "declared"
    assert compare_base_runs(unchanged(), ["A", "A"], declared=False).state == "agrees"
    assert compare_base_runs(unchanged(), [math.nan, math.nan], declared=False).state == "agrees"
    assert compare_base_runs(unchanged(), [0.3, 0.1 + 0.2], declared=False).state == "agrees"
    differing = compare_base_runs(unchanged(), ["B", "A", "A"], declared=False)
    assert (differing.state, differing.reference) == ("differs", 1)
    assert most_contradicted(unchanged(), differing, "B") == (2, 1)
    assert most_contradicted(unchanged(), differing, "A") == (1, 0)
    assert compare_base_runs(unchanged(), [1, True], declared=False).state == "differs"


def test_an_assertion_that_is_not_true_of_equal_outputs_cannot_tell() -> None:
    """With what is due it can."""
    twice = Assertion(lambda before, after: after == 2 * before)
    assert compare_base_runs(twice, [1, 1], declared=False).state == "unknown"
    with_due = Assertion(lambda due, after: due == after, due=lambda before: 2 * before)
    assert compare_base_runs(with_due, [1, 1], declared=False).state == "agrees"
    assert with_due.holds(1, 2)


def test_outputs_that_the_assertion_cannot_compare_are_an_error() -> None:
    """Of base runs too."""
    with pytest.raises(DataError):
        compare_base_runs(not_less(), ["a", "b"], declared=False)
