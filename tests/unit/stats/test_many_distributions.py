"""Distributions looked at together are what each is by itself."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust.stats.many_distributions import most_probable

EDGE = 1e-6
_SHARES = st.lists(st.integers(1, 9), min_size=3, max_size=3).map(lambda parts: [part / sum(parts) for part in parts])
_BROKEN = st.sampled_from([[0.5, 0.5, 2e-6], [0.5, 0.5, 9e-7], [1.1, -0.1, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.0]])


@given(st.lists(_SHARES | _BROKEN, min_size=1, max_size=8))
def test_all_are_what_each_is(rows: list[list[float]]) -> None:
    """Refused where one of them is, and else the first of the greatest is chosen."""
    broken = any(min(row) < 0 or max(row) > 1 or abs(math.fsum(row) - 1) > EDGE for row in rows)
    columns = [list(column) for column in zip(*rows, strict=True)]
    assert most_probable(columns, EDGE) == (None if broken else [row.index(max(row)) for row in rows])


@pytest.mark.parametrize(("last", "chosen"), [(EDGE, [0]), (math.nextafter(EDGE, 1) + 3e-16, None)])
def test_the_exact_sum_decides_at_the_edge(last: float, chosen: list[int] | None) -> None:
    """Where rounding in another order could say otherwise."""
    row = [0.5, 0.5, last]
    assert (abs(math.fsum(row) - 1) <= EDGE + 1e-16) == (chosen is not None)
    assert most_probable([[share] for share in row], EDGE + 1e-16) == chosen


def test_the_first_of_equals_is_chosen() -> None:
    """As for one."""
    assert most_probable([[0.4, 0.2], [0.4, 0.4], [0.2, 0.4]], EDGE) == [0, 1]
