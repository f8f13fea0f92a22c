"""Sums and means that are the same in every order."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from robust.stats.exact_sum import exact_mean, group_sums

numbers = st.floats(-1e9, 1e9)


def test_the_mean_of_nothing_is_none() -> None:
    """Not 0, and no division."""
    assert exact_mean([]) is None
    assert exact_mean([0.1] * 10) == 0.1


@given(st.lists(numbers, min_size=1, max_size=20))
def test_the_mean_does_not_depend_on_the_order(values: list[float]) -> None:
    """To the last bit."""
    shuffled = sorted(values)
    assert exact_mean(shuffled) == exact_mean(values) == math.fsum(values) / len(values)


@given(st.lists(st.tuples(st.integers(0, 4), numbers), max_size=30))
def test_group_sums_are_those_of_each_group_alone(rows: list[tuple[int, float]]) -> None:
    """Groups without a value sum to 0, and the order of the rows makes no difference."""
    due = [math.fsum(value for group, value in rows if group == each) for each in range(5)]
    for ordered in (rows, rows[::-1]):
        groups = np.array([group for group, _ in ordered], dtype=np.int64)
        values = np.array([value for _, value in ordered], dtype=np.float64)
        assert group_sums(groups, values, 5) == due
