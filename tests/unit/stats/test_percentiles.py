"""Percentiles by linear interpolation between ranks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust.stats.percentiles import percentile


def test_percentiles_worked_out_by_hand() -> None:
    """Of 10, 20, 30, 40 the 50th lies halfway between 20 and 30, and the 95th at 0.85 of the way from 30 to 40."""
    values = [10.0, 20.0, 30.0, 40.0]
    assert [percentile(values, percent) for percent in (0, 50, 95, 100)] == [10, 25, pytest.approx(38.5), 40]


def test_one_number_is_every_percentile() -> None:
    """There is nothing to interpolate."""
    assert {percentile([7.5], percent) for percent in (0, 50, 90, 95, 99, 100)} == {7.5}


@pytest.mark.parametrize(("values", "percent"), [([], 50), ([1.0], -1), ([1.0], 101), ([1.0], float("nan"))])
def test_what_has_no_percentile_is_refused(values: list[float], percent: float) -> None:
    """Nothing, or outside of 0 to 100."""
    with pytest.raises(ValueError, match="no percentile"):
        percentile(values, percent)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=40), st.floats(0, 100))
def test_percentiles_are_those_of_numpy(values: list[float], percent: float) -> None:
    """Its default method."""
    ordered = sorted(values)
    assert percentile(ordered, percent) == pytest.approx(float(np.percentile(values, percent)), rel=1e-12, abs=1e-12)
