"""The interval of a difference of shares."""

from __future__ import annotations

import numpy as np
import pytest

from robust.stats.rate_difference import difference_interval


def test_it_holds_the_difference_and_is_wide_with_little() -> None:
    """Narrower with more records, and turned round with the sides."""
    low, high = difference_interval((70, 100), (60, 100), 0.95)
    assert low < 0.1 < high
    narrow = difference_interval((7000, 10_000), (6000, 10_000), 0.95)
    assert low < narrow[0] < 0.1 < narrow[1] < high
    back = difference_interval((60, 100), (70, 100), 0.95)
    assert back == pytest.approx((-high, -low))


def test_it_covers_as_often_as_it_says() -> None:
    """At least, since both intervals are exact ones."""
    drawn = np.random.default_rng(11)
    before, after, size = 0.9, 0.82, 60
    covered = 0
    for first, second in zip(drawn.binomial(size, before, 500), drawn.binomial(size, after, 500), strict=True):
        low, high = difference_interval((int(first), size), (int(second), size), 0.95)
        covered += low <= before - after <= high
    assert covered >= 0.94 * 500


@pytest.mark.parametrize("hits", [0, 20])
def test_shares_of_none_and_all_have_intervals_within_one(hits: int) -> None:
    """And not beyond it."""
    low, high = difference_interval((hits, 20), (20 - hits, 20), 0.95)
    assert -1 <= low < high <= 1
