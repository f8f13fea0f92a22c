"""Shares over source groups, from sums over them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from robust.stats.group_counts import GroupedShare, grouped_share
from robust.stats.intervals import clopper_pearson, rate_estimate


def test_one_thing_in_each_group_has_the_exact_interval() -> None:
    """That of Clopper and Pearson, with nothing taken off for groups."""
    share = grouped_share([(1, 1)] * 3 + [(0, 1)] * 17)
    assert share.value == 0.15
    assert share.interval(0.95) == pytest.approx(clopper_pearson(3, 20, 0.95))


def test_groups_of_several_have_that_of_a_rate() -> None:
    """The sums say as much of the groups as the things themselves."""
    groups = [(0, 3), (2, 2), (1, 4), (5, 5), (0, 1)]
    hits = np.array([place < hits for hits, cases in groups for place in range(cases)])
    of = np.array([index for index, (_, cases) in enumerate(groups) for _ in range(cases)])
    due = rate_estimate(hits, of)
    assert due is not None
    assert grouped_share(groups).interval(0.9) == due.interval(0.9)


@pytest.mark.parametrize("groups", [[], [(0, 0)], [(1, 3)]])
def test_nothing_and_one_group_have_no_interval(groups: list[tuple[int, int]]) -> None:
    """They say nothing of others."""
    assert grouped_share(groups).interval(0.95) is None


def test_groups_without_a_thing_are_none() -> None:
    """They are no evidence."""
    assert grouped_share([(0, 0), (1, 2), (0, 1)]).groups == 2


@pytest.mark.parametrize(
    "forged",
    [
        {"hits": 99},
        {"groups": 99},
        {"groups": 0},
        {"hits_squared": 0},
        {"hits_squared": 99},
        {"hits_by_cases": 1},
        {"hits_by_cases": 99},
        {"cases_squared": 5},
        {"cases_squared": 500},
    ],
)
def test_sums_that_no_groups_can_have_are_told(forged: dict[str, int]) -> None:
    """So that a stored audit cannot choose its interval freely."""
    real = grouped_share([(2, 3), (0, 2), (1, 1)])
    assert real.is_possible()
    assert not replace(real, **forged).is_possible()


def test_nothing_is_possible() -> None:
    """Of no groups."""
    assert GroupedShare(0, 0, 0, 0, 0, 0).is_possible()
    assert not GroupedShare(0, 0, 1, 0, 0, 0).is_possible()
