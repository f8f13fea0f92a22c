"""The base's own flip rate."""

from __future__ import annotations

import pytest

from robust.stats.flip_rate import BaseFlips


def test_a_rate_worked_out_by_hand() -> None:
    """AAB: 2 of 3 pairs; AB: 1 of 1; AAA: none. Groups (2/3 + 0)/2 and 1, so 2/3 together."""
    flips = BaseFlips()
    flips.add(4, ["A", "A", "B"])
    flips.add(4, ["A", "A", "A"])
    flips.add(-9, ["A", "B"])
    assert flips.rate == pytest.approx(2 / 3, abs=1e-15)
    assert (flips.cases, flips.groups) == (3, 2)


def test_cases_that_were_decided_once_say_nothing() -> None:
    """Neither do those that were never decided."""
    flips = BaseFlips()
    flips.add(0, ["A"])
    flips.add(1, [])
    assert flips.rate is None
    assert (flips.cases, flips.groups) == (0, 0)
    flips.add(1, ["A", "A"])
    assert flips.rate == 0
    assert (flips.cases, flips.groups) == (1, 1)
