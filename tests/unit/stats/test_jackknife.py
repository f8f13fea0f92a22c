"""Statistics without one source group at a time, against computing each of them anew."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from robust.stats.classification import macro_f1
from robust.stats.jackknife import macro_f1_left_out, means_left_out, standard_error

LABELS = 4
# Groups 0 and 1 are always there, since a jackknife needs two.
outcome = st.tuples(st.integers(0, LABELS - 1), st.integers(0, LABELS - 1))
rows = st.tuples(outcome, outcome, st.lists(st.tuples(st.integers(0, 5), outcome), max_size=30)).map(
    lambda drawn: [(0, drawn[0]), (1, drawn[1]), *drawn[2]]
)


def _integers(values: list[int]) -> NDArray[np.int64]:
    return np.array(values, dtype=np.int64)


def _numbered(groups: list[int]) -> tuple[NDArray[np.int64], int]:
    order = sorted(set(groups))
    return _integers([order.index(group) for group in groups]), len(order)


def test_a_standard_error_worked_out_by_hand() -> None:
    """Of the mean of 1, 2 and 6: without each 4, 3.5 and 1.5, whose mean is 3; √(2/3 · (1 + 0.25 + 2.25))."""
    left_out = means_left_out(np.array([1.0, 2.0, 6.0]), _integers([0, 1, 2]), 3)
    assert left_out == [4, 3.5, 1.5]
    assert standard_error(left_out) == pytest.approx(math.sqrt(2 / 3 * 3.5))


def test_of_single_cases_it_is_the_usual_error_of_a_mean() -> None:
    """s/√n, as for every mean."""
    values = np.random.default_rng(1).normal(size=50)
    left_out = means_left_out(values, _integers(list(range(50))), 50)
    assert standard_error(left_out) == pytest.approx(values.std(ddof=1) / math.sqrt(50))


@given(st.lists(st.tuples(st.integers(0, 5), st.floats(-100, 100)), min_size=2, max_size=30))
def test_means_equal_those_of_the_other_groups(drawn: list[tuple[int, float]]) -> None:
    """Group by group."""
    numbered, count = _numbered([group for group, _ in drawn])
    if count < 2:
        return
    values = [value for _, value in drawn]
    found = means_left_out(np.array(values), numbered, count)
    for group in range(count):
        others = [value for value, own in zip(values, numbered.tolist(), strict=True) if own != group]
        assert found[group] == pytest.approx(math.fsum(others) / len(others), abs=1e-9)


@given(rows)
def test_macro_f1_equals_that_of_the_other_groups(drawn: list[tuple[int, tuple[int, int]]]) -> None:
    """Also where a label occurs in one group alone, and so vanishes without it."""
    numbered, count = _numbered([group for group, _ in drawn])
    expected, selected = ([pair[side] for _, pair in drawn] for side in (0, 1))
    found = macro_f1_left_out(_integers(expected), _integers(selected), numbered, LABELS)
    assert len(found) == count
    for group in range(count):
        table: dict[str, dict[str, int]] = {}
        for own, right, chosen in zip(numbered.tolist(), expected, selected, strict=True):
            if own != group:
                row = table.setdefault(str(right), {})
                row[str(chosen)] = row.get(str(chosen), 0) + 1
        assert found[group] == pytest.approx(macro_f1(table), abs=1e-12)


@given(rows)
def test_the_order_of_cases_makes_no_difference(drawn: list[tuple[int, tuple[int, int]]]) -> None:
    """To the last bit."""
    results = []
    for ordered in (drawn, drawn[::-1]):
        numbered, _ = _numbered([group for group, _ in ordered])
        expected, selected = ([pair[side] for _, pair in ordered] for side in (0, 1))
        results.append(macro_f1_left_out(_integers(expected), _integers(selected), numbered, LABELS))
    assert results[0] == results[1]
