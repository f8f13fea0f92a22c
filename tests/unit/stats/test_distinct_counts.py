"""How often numbers occur: exactly while they are few, and within the told error where they are many."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from robust.stats.distinct_counts import Counted, DistinctCounts, percentiles

NUMBERS = st.lists(st.floats(0, 1e300, allow_subnormal=True), min_size=1, max_size=60)


def _counted(parts: list[list[float]], limit: int) -> Counted:
    counts = DistinctCounts(limit)
    for part in parts:
        counts.add(np.array(part, np.float64))
    return counts.counted()


@given(NUMBERS, st.integers(2, 70), st.integers(1, 60), st.randoms())
def test_what_is_counted_depends_on_the_numbers_alone(
    values: list[float], limit: int, step: int, order: object
) -> None:
    """Not on their order, and not on how they came in parts."""
    other = sorted(values, reverse=True)
    parts = [other[start : start + step] for start in range(0, len(other), step)]
    assert _counted(parts, limit) == _counted([values], limit)


@given(NUMBERS, st.integers(2, 70))
def test_few_numbers_are_counted_exactly(values: list[float], limit: int) -> None:
    """And many in no more bins than there may be."""
    found = _counted([values], limit)
    assert sum(found.counts) == len(values) and len(found.values) <= limit
    if len({*values}) <= limit:
        assert (found.shift, found.relative_error) == (0, 0)
        assert [*found.values] == sorted({*values})


@given(NUMBERS, st.integers(2, 70), st.floats(0, 100))
def test_percentiles_are_those_of_numpy_within_the_told_error(values: list[float], limit: int, percent: float) -> None:
    """Which is none while the numbers are few."""
    found = _counted([values], limit)
    # With so few bins some would be wider than the numbers are large.
    assume(found.shift <= 53)
    (told,) = percentiles(found, [percent], most=max(values))
    ordered = np.sort(values)
    position = (len(values) - 1) * percent / 100
    low, high = ordered[int(position)], ordered[min(int(position) + 1, len(values) - 1)]
    assert told is not None
    # Interpolation between two ranks that are each off by at most the error.
    slack = found.relative_error * high + 1e-12 * high + 5e-324 * 2.0**found.shift
    assert told == pytest.approx(low + (high - low) * (position - int(position)), abs=slack, rel=1e-12)


def test_there_is_no_percentile_of_nothing() -> None:
    """It is not 0."""
    assert percentiles(DistinctCounts(5).counted(), [50, 95], most=0) == [None, None]


def test_no_percentile_is_above_the_largest_number() -> None:
    """Though its bin reaches beyond it."""
    values = np.linspace(1, 1.9, 5000)
    found = _counted([[*values]], 8)
    assert found.shift and percentiles(found, [100], most=1.9) == [1.9]
