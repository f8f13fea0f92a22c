"""Exact sums by group: as fractions give them, in any order and in any parts."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from robust.stats.group_totals import GroupMoments, GroupTotals


def _exact(values: np.ndarray) -> tuple[float, float]:
    """The sum, and the sum of squared distances from the mean, each rounded once."""
    numbers = [Fraction(float(value)) for value in values]
    total = sum(numbers, Fraction(0))
    mean = total / len(numbers)
    return float(total), float(sum(((one - mean) ** 2 for one in numbers), Fraction(0)))


@pytest.mark.parametrize("step", [1, 7, 5000])
def test_sums_and_deviations_are_those_of_fractions(step: int) -> None:
    """To the last bit, however the numbers come."""
    drawn = np.random.default_rng(3)
    values, groups = drawn.lognormal(0, 2, 900) % 30, drawn.integers(0, 4, 900)
    moments = GroupMoments(6)
    for start in range(0, 900, step):
        moments.add(groups[start : start + step], values[start : start + step], 4)
    for group in range(4):
        of_group = values[groups == group]
        assert (moments.total(group), moments.deviations(group, len(of_group))) == _exact(of_group)


def test_equal_numbers_do_not_deviate_at_all() -> None:
    """Not even by rounding: nothing of 0.1 is a whole number of bits."""
    moments = GroupMoments(6)
    moments.add(np.zeros(999, np.int64), np.full(999, 0.1), 1)
    assert moments.deviations(0, 999) == 0


def test_groups_may_come_later_and_negative_numbers_are_numbers() -> None:
    """What was there before stays."""
    totals = GroupTotals(10)
    totals.add(np.array([0, 0]), np.array([0.5, -0.25]), 1)
    totals.add(np.array([3, 0]), np.array([1e-12, -1e-12]), 4)
    assert [totals.total(group) for group in range(5)] == [0.25 - 1e-12, 0, 0, 1e-12, 0]
