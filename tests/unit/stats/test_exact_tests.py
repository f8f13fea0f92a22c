"""Exact tests of two groups of outcomes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from robust.stats.exact_tests import binomial_at_least, fisher_two_sided, rarest_split
from robust.stats.outcome_kinds import kinds_of_groups, kinds_of_matrix
from robust.stats.relabelling import all_relabellings


def test_fisher_by_hand() -> None:
    """The lady who tasted tea: 3 of 4 against 1 of 4 (Fisher 1935)."""
    assert fisher_two_sided((3, 1), (1, 3)) == pytest.approx(34 / 70)
    assert fisher_two_sided((6, 0), (0, 6)) == pytest.approx(2 / 924)
    assert fisher_two_sided((5, 0), (5, 0)) == 1.0


def test_binomial_by_hand() -> None:
    """At least one, and at least none."""
    assert binomial_at_least(1, 3, 0.5) == pytest.approx(7 / 8)
    assert binomial_at_least(0, 3, 0.5) == 1.0
    assert binomial_at_least(3, 3, 0.05) == pytest.approx(0.05**3)
    assert binomial_at_least(4, 3, 0.5) == 0.0
    assert binomial_at_least(3, 3, 1.0) == 1.0


def test_binomial_tails_are_those_of_whole_numbers() -> None:
    """At one half, where all ways are alike: every tail of up to forty trials, counted out."""
    for trials in range(1, 41):
        for hits in range(trials + 1):
            ways = sum(math.comb(trials, each) for each in range(hits, trials + 1))
            assert binomial_at_least(hits, trials, 0.5) == pytest.approx(ways / 2**trials, rel=1e-13)


def test_fisher_is_what_whole_numbers_give() -> None:
    """On 500 random tables: all tables of the same margins that are at most as likely as the one that was seen."""
    source = np.random.default_rng(11)
    for base, transformed in source.integers(0, 40, (500, 2, 2)).tolist():
        whole, first = sum(base), base[0] + transformed[0]
        rest = sum(transformed)
        ways = [math.comb(whole, hits) * math.comb(rest, first - hits) for hits in range(first + 1)]
        p_value = sum(each for each in ways if each <= ways[base[0]]) / math.comb(whole + rest, first)
        assert fisher_two_sided(tuple(base), tuple(transformed)) == pytest.approx(p_value, rel=1e-9)


def test_the_rarest_split_counts_both_ways_of_equal_groups() -> None:
    """With others there is one way."""
    assert rarest_split(6, 6) == 2 / math.comb(12, 6)
    assert rarest_split(5, 20) == 1 / math.comb(25, 5)


def test_counted_groups_are_the_kinds_of_their_outcomes() -> None:
    """The same as of all outcomes one by one."""
    counts = [(3, 0), (1, 2), (1, 2)]
    breaks = [[False, True, True], [True, False, False], [True, False, False]]
    side = [group for group, (before, _) in enumerate(counts) for _ in range(before)]
    side += [group for group, (_, after) in enumerate(counts) for _ in range(after)]
    matrix = [[breaks[one][other] for other in side] for one in side]
    assert kinds_of_groups(counts, breaks) == kinds_of_matrix(5, matrix)


def test_the_p_value_of_relabellings_counts_the_observed_one() -> None:
    """Among all of them, by hand: 3 of one kind against 3 of another, two of twenty."""
    kinds, between = kinds_of_groups([(3, 0), (0, 3)], [[False, True], [True, False]])
    found = all_relabellings(kinds, between)
    assert found is not None
    assert found.p_value == pytest.approx(2 / 20)
