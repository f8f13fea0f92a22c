"""Differences of two means over the same cases, against computing each of them anew; McNemar's test against scipy's."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest  # type: ignore[import-untyped]

from robust.stats.jackknife import standard_error
from robust.stats.paired_difference import mcnemar_p_value, mean_difference, negated, worst_segment

side = st.tuples(st.floats(0, 1), st.booleans())
drawn_cases = st.lists(st.tuples(st.integers(0, 4), side, side), min_size=1, max_size=25)
Side = tuple[float, bool]


def _mean(sides: list[Side]) -> float | None:
    chosen = [value for value, among in sides if among]
    return math.fsum(chosen) / len(chosen) if chosen else None


def _difference(cases: list[tuple[int, Side, Side]]) -> float | None:
    first, second = _mean([case[1] for case in cases]), _mean([case[2] for case in cases])
    return None if first is None or second is None else second - first


def _columns(cases: list[tuple[int, Side, Side]], place: int) -> Any:
    values, among = zip(*(case[place] for case in cases), strict=True)
    return np.array(values), np.array(among, dtype=np.bool_)


@given(drawn_cases)
def test_its_error_is_that_of_leaving_out_each_source_group(cases: list[tuple[int, Side, Side]]) -> None:
    """Of those groups that either mean rests on, from both means at once."""
    delta = _difference(cases)
    if delta is None:
        return
    groups = np.array([case[0] for case in cases], dtype=np.int64)
    found = mean_difference(_columns(cases, 1), _columns(cases, 2), groups, delta, 1.0)
    occurring = sorted({group for group, first, second in cases if first[1] or second[1]})
    left_out = [_difference([case for case in cases if case[0] != group]) for group in occurring]
    if len(occurring) < 2 or None in left_out:
        assert found is None
        return
    assert found is not None
    assert found.groups == len(occurring)
    assert found.error == pytest.approx(standard_error([each for each in left_out if each is not None]), abs=1e-9)


def test_runs_that_are_equal_leave_what_so_many_groups_cannot_show() -> None:
    """No error is seen, so that the interval is that of groups which would behave otherwise and were not met."""
    values = np.array([0.25, 0.5, 1.0]), np.ones(3, dtype=np.bool_)
    found = mean_difference(values, values, np.arange(3), 0.0, 1.0)
    assert found is not None
    assert found.error == 0
    unseen = 1 - 0.025 ** (1 / 3)
    assert found.interval(0.95) == pytest.approx((-unseen, unseen), abs=1e-9)


def test_a_drop_has_the_interval_of_the_rise_with_its_ends_exchanged() -> None:
    """And a missing one stays missing."""
    first = np.array([1.0, 0.0, 1.0, 1.0]), np.ones(4, dtype=np.bool_)
    second = np.array([0.0, 0.0, 1.0, 0.0]), np.ones(4, dtype=np.bool_)
    rise = mean_difference(first, second, np.arange(4), -0.5, 1.0)
    drop = negated(rise)
    assert rise is not None
    assert drop is not None
    low, high = rise.interval(0.9) or (0, 0)
    assert (drop.value, drop.interval(0.9)) == (0.5, (-high, -low))
    assert negated(None) is None


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_the_two_sided_binomial_test(first: int, second: int) -> None:
    """As scipy computes it; 1 where nothing moved."""
    moves = first + second
    due = binomtest(first, moves, 0.5).pvalue if moves else 1.0
    assert mcnemar_p_value(first, second) == pytest.approx(due, rel=1e-8)
    assert mcnemar_p_value(first, second) == mcnemar_p_value(second, first)


def test_the_worst_segment_is_the_one_that_dropped_most() -> None:
    """By the upper ends of intervals, one that has none leaves the limit open."""
    drops = [(0.1, 0.3), (0.2, 0.25), (-0.1, None)]
    assert worst_segment(drops, bound=False) == 1
    assert worst_segment(drops[:2], bound=True) == 0
    assert worst_segment(drops, bound=True) == 2
    assert worst_segment([], bound=True) is None
