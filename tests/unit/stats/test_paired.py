"""Paired differences at their edges: rounding, no spread, too few, beyond all numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from robust.stats.equivalence import Statistic, equivalence
from robust.stats.paired import (
    differences,
    moments,
    moves_p_value,
    rounding,
    signed_rank_p_value,
    significant,
    t_interval,
    t_p_value,
)
from robust.stats.pseudo_median import pseudo_median
from robust.stats.wide_sum import wide_mean, wide_sum

INF, NAN = math.inf, math.nan
STATISTICS: tuple[Statistic, Statistic] = ("t", "wilcoxon")


def array(*values: float) -> NDArray[np.float64]:
    """Numbers as an array."""
    return np.array(values, dtype=np.float64)


def test_what_differs_by_rounding_does_not_differ() -> None:
    """And what differs by more does, of any size; an infinite change is no rounding."""
    before = array(0.3, 1e300, 1e-300, 0, 1, -5, 1)
    after = array(0.1 + 0.2, 1e300, 2e-300, 0, 1 + 1e-12, -5, INF)
    assert differences(before, after).tolist() == [0, 0, 1e-300, 0, after[4] - 1, 0, INF]
    assert rounding(array(1, INF), array(-2, 1)).tolist() == [2 * 4 * np.finfo(float).eps, 0]


def test_moments_see_equal_differences_through_rounding() -> None:
    """So that 0.1 + 0.2 − 0.1 is as good as 0.2; where one differs by more there is a spread."""
    before = array(*(0.1 * place for place in range(20)))
    after = before + 0.2
    exact = moments(differences(before, after), rounding(before, after))
    assert exact.deviation == 0
    assert exact.mean == pytest.approx(0.2, rel=1e-14)
    after[3] += 1e-9
    assert moments(differences(before, after), rounding(before, after)).deviation > 0


def test_one_large_output_does_not_hide_the_spread_of_others() -> None:
    """What may be rounding of it is none of theirs."""
    before, after = array(1e17, 1, 2, 3), array(1e17, 2, 4, 3)
    assert moments(differences(before, after), rounding(before, after)).deviation > 0.5


def test_moments_of_huge_numbers_do_not_overflow() -> None:
    """Their squares would."""
    found = moments(array(1e200, -1e200, 3e200, 1e200))
    assert found.mean == pytest.approx(1e200)
    assert found.deviation == pytest.approx(1e200 * float(np.std([1, -1, 3, 1], ddof=1)))
    assert math.isnan(moments(array(INF, 1)).deviation)
    assert math.isnan(moments(array()).mean)


def test_a_t_test_without_spread_is_judged_by_its_mean_alone() -> None:
    """And has no p-value at the null hypothesis, or of one difference."""
    assert t_p_value(moments(array(1, 1, 1)), "greater") == 0
    assert t_p_value(moments(array(1, 1, 1)), "less") == 1
    assert math.isnan(t_p_value(moments(array(0, 0, 0)), "greater"))
    assert math.isnan(t_p_value(moments(array(5)), "greater"))
    assert t_interval(moments(array(1, 1, 1)), 0.9) == (1, 1)
    assert t_interval(moments(array(5)), 0.9) is None


def test_the_signed_rank_test_is_exact_with_ties() -> None:
    """Five of one size on one side: one of 32 assignments of signs. Zeros are left out."""
    assert signed_rank_p_value(array(2, 2, 2, 2, 2), "greater") == 1 / 32
    assert signed_rank_p_value(array(2, 2, 0, 2, 2, 0, 2), "less") == 1
    # Ranks 1.5, 1.5, 3 with signs −, +, +: sums of at least 4.5 are (+,+,+) and two that lack one of the small ones.
    assert signed_rank_p_value(array(-1, 1, 2), "greater") == 3 / 8
    assert math.isnan(signed_rank_p_value(array(0, 0), "greater"))
    assert math.isnan(signed_rank_p_value(array(1, NAN), "greater"))


def test_differences_that_differ_by_rounding_alone_are_tied() -> None:
    """In the direction of ranks and in equivalence; without being told so they have ranks of their own."""
    before, after = array(0.2, 0.1, 0, 0), array(0.30000000000000004, 0.0, 0.1, 0.5)
    change, slack = differences(before, after), rounding(before, after)
    assert len(set(np.abs(change).tolist())) > 2
    # Ranks 2, 2, 2 and 4 with one of the small ones negative, as if all were exactly 0.1.
    exact = signed_rank_p_value(array(0.1, -0.1, 0.1, 0.5), "greater")
    assert signed_rank_p_value(change, "greater", slack) == exact
    assert signed_rank_p_value(-change, "less", slack) == exact
    many = [np.tile(each, 20) for each in (change, slack, array(0.1, -0.1, 0.1, 0.5))]
    assert signed_rank_p_value(many[0], "greater", many[1]) == signed_rank_p_value(many[2], "greater")
    infinite = array(math.inf, math.inf, 1)
    assert signed_rank_p_value(infinite, "greater", np.zeros(3)) == signed_rank_p_value(infinite, "greater")
    assert signed_rank_p_value(array(1, -2, 3), "less", np.zeros(3)) == signed_rank_p_value(array(1, -2, 3), "less")


def test_many_equal_differences_are_judged_by_the_normal_distribution() -> None:
    """Its deviate is then √n."""
    from scipy.stats import norm  # type: ignore[import-untyped]

    assert signed_rank_p_value(np.full(64, 3.0), "greater") == significant(float(norm.sf(8)))


def test_moves_that_are_none_are_no_evidence() -> None:
    """Nor are as many in both directions; where nothing moved there is no p-value."""
    assert math.isnan(moves_p_value(0, 0))
    assert moves_p_value(0, 7) == 1
    assert moves_p_value(5, 0) == 1 / 32
    assert moves_p_value(3, 3) > 0.5


@pytest.mark.parametrize("statistic", STATISTICS)
def test_differences_without_spread_are_equivalent_within_the_window_only(statistic: Statistic) -> None:
    """At its edges and up to twice as far there is no p-value; beyond, p is 1."""
    for middle, expected in ((0.0, "low"), (0.99, "low"), (1.0, "none"), (1.5, "none"), (-2.0, "none"), (2.1, "one")):
        found = equivalence(np.full(30, middle), 1.0, 0.05, statistic=statistic)
        assert found.constant
        p_value = found.p_value
        assert expected == (
            "none" if math.isnan(p_value) else "one" if p_value == 1 else "low" if p_value < 0.05 else "?"
        )


@pytest.mark.parametrize("statistic", STATISTICS)
def test_equivalence_rejects_where_its_interval_lies_within_the_window(statistic: Statistic) -> None:
    """Which is what its interval is for."""
    change = np.random.default_rng(3).normal(0.1, 1, 45)
    interval = equivalence(change, 1, 0.05, statistic=statistic).interval
    assert interval is not None
    reach = max(abs(end) for end in interval)
    assert equivalence(change, reach * 1.0001, 0.05, statistic=statistic).p_value < 0.05
    assert equivalence(change, reach * 0.9999, 0.05, statistic=statistic).p_value > 0.05


def test_the_pseudo_median_of_many_is_searched_for_and_found_exactly() -> None:
    """As that of few, for which all pairs are looked at; also where many are tied."""
    source = np.random.default_rng(4)
    for change in (source.normal(size=3000), source.normal(size=3000).round(1)):
        rows, columns = np.triu_indices(len(change))
        means = np.sort((change[rows] + change[columns]) / 2)
        estimate, interval = pseudo_median(change, 0.9)
        assert estimate == pytest.approx(float(np.median(means)), rel=1e-9, abs=1e-9)
        assert interval is not None
        for end in interval:
            assert means[np.argmin(abs(means - end))] == pytest.approx(end, rel=1e-9, abs=1e-9)


def test_the_pseudo_median_of_four_has_no_interval_and_infinite_ones_none_at_all() -> None:
    """Four differences cannot reject at 0.05."""
    assert pseudo_median(array(1, 2, 3, 4), 0.9) == (2.5, None)
    assert pseudo_median(array(1, 2, 3, 4, 5), 0.9) == (3, (1, 5))
    estimate, interval = pseudo_median(array(1, INF), 0.9)
    assert math.isnan(estimate)
    assert interval is None


@pytest.mark.parametrize("scale", [1, 1e-300, 1e300, 3.7e15])
def test_a_wide_sum_is_the_correctly_rounded_one(scale: float) -> None:
    """Of numbers large and small, and where nearly all cancels."""
    source = np.random.default_rng(5)
    values = source.normal(size=5000) * scale
    values[::7] *= 1e-9
    assert wide_sum(values) == math.fsum(values.tolist())
    assert wide_sum(np.concatenate([values, -values, [scale]])) == scale
    assert wide_sum(values[::-1].copy()) == wide_sum(values)


def test_a_wide_mean_does_not_overflow() -> None:
    """And is no number where one is not finite, or where there is none."""
    assert wide_mean(np.full(5000, 1.7e308)) == pytest.approx(1.7e308)
    assert wide_sum(np.full(5000, 1.7e308)) == INF
    assert wide_sum(np.full(5000, -1.7e308)) == -INF
    assert wide_sum(np.zeros(5000)) == 0
    assert math.isnan(wide_mean(array(1, INF)))
    assert math.isnan(wide_mean(array()))
