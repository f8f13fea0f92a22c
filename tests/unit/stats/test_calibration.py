"""Brier score, log loss, reliability table and calibration error."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from robust.stats.calibration import (
    NLL_FLOOR,
    ReliabilityBin,
    brier_scores,
    expected_calibration_error,
    negative_logs,
    reliability,
)

shares = st.floats(0, 1)
cases = st.lists(st.tuples(shares, st.booleans()), max_size=40)


def _floats(values: Any) -> NDArray[np.float64]:
    return np.array(values, dtype=np.float64)


def _table(rows: list[tuple[float, bool]], bins: int) -> list[ReliabilityBin]:
    correct = np.array([right for _, right in rows], dtype=np.bool_)
    return reliability(_floats([share for share, _ in rows]), correct, bins)


def test_brier_scores_worked_out_by_hand() -> None:
    """Sure and right, sure and wrong, undecided, and three labels."""
    two = _floats([[1, 0], [1, 0], [0.5, 0.5]])
    assert brier_scores(two, _floats([1, 0, 0.5])).tolist() == [0, 2, 0.5]
    # (0.7 − 0)² + (0.2 − 1)² + (0.1 − 0)²
    assert brier_scores(_floats([[0.7, 0.2, 0.1]]), _floats([0.2])).tolist() == [pytest.approx(0.49 + 0.64 + 0.01)]


@given(st.lists(shares, min_size=2, max_size=8), st.data())
def test_brier_scores_do_not_depend_on_the_order_of_labels(values: list[float], data: st.DataObject) -> None:
    """To the last bit; and they are the exact sum to within its rounding."""
    share = data.draw(st.sampled_from(values))
    shuffled = data.draw(st.permutations(values))
    found = [brier_scores(_floats([each]), _floats([share]))[0] for each in (values, shuffled)]
    others = [*values]
    others.remove(share)
    due = sum(Fraction(other) ** 2 for other in others) + (1 - Fraction(share)) ** 2
    assert found[0] == found[1] == pytest.approx(float(due), rel=1e-14, abs=1e-300)


def test_brier_scores_of_no_case_are_none() -> None:
    """An empty table, not an error."""
    assert brier_scores(np.empty((0, 3)), np.empty(0)).tolist() == []


@given(st.one_of(shares, st.floats(1e-16, 1e-13), st.floats(0.99, 1.1)))
def test_logs_are_those_of_the_library_to_within_rounding(share: float) -> None:
    """But never of less than the floor."""
    found = negative_logs(_floats([share]))[0]
    assert found == pytest.approx(-math.log(max(share, NLL_FLOOR)), rel=5e-16, abs=5e-17)


def test_a_sure_miss_costs_a_finite_amount() -> None:
    """Probability 0 counts as 1e-15, and certainty costs nothing."""
    assert negative_logs(_floats([0, 1e-300, 1e-15, 1])).tolist() == [pytest.approx(34.538776394910684)] * 3 + [0]


def test_bins_hold_their_upper_edge_and_the_first_holds_zero() -> None:
    """(i/n, (i+1)/n]: 0 and 0.25 in the first of four, 0.5 in the second, 1 and a little more in the last."""
    rows = [(0.0, True), (0.25, True), (0.2500001, False), (0.5, True), (0.75, False), (1.0, True), (1.001, False)]
    table = _table(rows, 4)
    assert [(row.lower, row.upper, row.count) for row in table] == [
        (0, 0.25, 2),
        (0.25, 0.5, 2),
        (0.5, 0.75, 1),
        (0.75, 1, 2),
    ]
    assert [row.accuracy for row in table] == [1, 0.5, 0, 0.5]
    assert table[0].mean_confidence == 0.125
    assert table[3].mean_confidence == pytest.approx(1.0005)


@pytest.mark.parametrize("bins", [1, 3, 7, 10, 1000])
def test_every_edge_belongs_to_the_bin_below_it(bins: int) -> None:
    """For each edge as the quotient that it is; the next number belongs to the next bin."""
    edges = [index / bins for index in range(1, bins + 1)]
    assert [row.count for row in _table([(edge, True) for edge in edges], bins)] == [1] * bins
    above = [math.nextafter(edge, 2) for edge in edges[:-1]]
    assert [row.count for row in _table([(edge, True) for edge in above], bins)] == [0] + [1] * (bins - 1)


def test_an_empty_bin_has_no_mean_and_no_accuracy() -> None:
    """None, which is not 0."""
    assert _table([], 2) == [ReliabilityBin(0, 0.5, 0, None, None), ReliabilityBin(0.5, 1, 0, None, None)]


def test_calibration_error_worked_out_by_hand() -> None:
    """Two of three right at 0.8, none of one at 0.4: 3/4·|2/3 − 0.8| + 1/4·|0 − 0.4|."""
    table = _table([(0.8, True), (0.8, True), (0.8, False), (0.4, False)], 2)
    assert expected_calibration_error(table) == pytest.approx(0.75 * (0.8 - 2 / 3) + 0.25 * 0.4)
    assert expected_calibration_error(_table([], 2)) is None


@given(cases, st.sampled_from([1, 2, 10, 15]))
def test_the_table_equals_an_independent_count(rows: list[tuple[float, bool]], bins: int) -> None:
    """Bin by bin, from the definition; in the reverse order the same to the last bit."""
    table = _table(rows, bins)
    assert table == _table(rows[::-1], bins)
    for index, row in enumerate(table):
        low, high = index / bins, (index + 1) / bins
        inside = [(share, right) for share, right in rows if low < share <= high or share == index == 0]
        assert row.count == len(inside)
        if inside:
            assert row.mean_confidence == math.fsum(share for share, _ in inside) / len(inside)
            assert row.accuracy == sum(right for _, right in inside) / len(inside)
    error = expected_calibration_error(table)
    assert error is None if not rows else 0 <= (error or 0) <= 1
