"""The statistics of population tests on 500 random cases, beside scipy's and statsmodels'."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats  # type: ignore[import-untyped]
from statsmodels.stats.contingency_tables import mcnemar  # type: ignore[import-untyped]
from statsmodels.stats.multitest import multipletests  # type: ignore[import-untyped]
from statsmodels.stats.proportion import proportion_confint  # type: ignore[import-untyped]
from statsmodels.stats.weightstats import DescrStatsW, ttost_paired  # type: ignore[import-untyped]

from robust.stats.equivalence import equivalence
from robust.stats.intervals import clopper_pearson
from robust.stats.multiple import holm
from robust.stats.outcome_kinds import kinds_of_labels, kinds_of_matrix
from robust.stats.paired import Side, differences, moments, moves_p_value, signed_rank_p_value, t_interval, t_p_value
from robust.stats.pseudo_median import pseudo_median
from robust.stats.relabelling import all_relabellings

CASES = 500
SIDES: tuple[Side, Side] = ("greater", "less")
# Ours are given to ten significant digits.
CLOSE = 1e-9


def close(one: float, other: float, tolerance: float = CLOSE) -> bool:
    """Whether two numbers agree to almost ten digits."""
    return bool(abs(one - other) <= tolerance * max(abs(one), abs(other), 1e-300))


def pairs() -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64], int]]:
    """Outputs before and after of many sizes, scales and shapes, half of them with ties and outputs that stay."""
    source = np.random.default_rng(20261130)
    for number in range(CASES):
        size = int(source.integers(2, 130))
        scale = 10.0 ** source.integers(-4, 5)
        before = source.normal(size=size) * scale
        change = source.normal(source.normal(), 1 + source.random(), size) * scale
        if number % 2:
            before, change = np.round(before / scale), np.round(change / scale)
            change[0] = 1.0
        yield before, before + change, number


def signed_rank(moved: NDArray[np.float64], side: Side) -> float:
    """The p-value by scipy; up to 50 differences with ties, which it takes for none, by all assignments of signs."""
    if len(moved) > 50:
        return float(stats.wilcoxon(moved, alternative=side, method="asymptotic").pvalue)
    if len(np.unique(np.abs(moved))) == len(moved):
        return float(stats.wilcoxon(moved, alternative=side, method="exact").pvalue)
    ranks: list[int] = [round(2 * rank) for rank in stats.rankdata(np.abs(moved)).tolist()]
    ways = {0: 1}
    for rank in ranks:
        grown = Counter(ways)
        for total, count in ways.items():
            grown[total + rank] += count
        ways = dict(grown)
    due = sum(rank for rank, change in zip(ranks, moved, strict=True) if (change > 0) == (side == "greater"))
    return float(sum(count for total, count in ways.items() if total >= due) / 2 ** len(ranks))


@pytest.fixture(scope="module")
def cases() -> list[tuple[NDArray[np.float64], NDArray[np.float64], int]]:
    """The same cases for every test."""
    return list(pairs())


def test_the_paired_t_test_is_that_of_scipy(cases: list[tuple[NDArray[np.float64], NDArray[np.float64], int]]) -> None:
    """On both sides, with its interval."""
    compared = 0
    for before, after, _ in cases:
        found = moments(differences(before, after))
        if found.deviation == 0:
            continue
        compared += 1
        for side in SIDES:
            assert close(t_p_value(found, side), stats.ttest_rel(after, before, alternative=side).pvalue, 1e-8)
        low, high = stats.ttest_rel(after, before).confidence_interval(0.9)
        ours = t_interval(found, 0.9)
        assert ours is not None
        assert close(ours[0], low, 1e-7)
        assert close(ours[1], high, 1e-7)
    assert compared > 490


def test_the_signed_rank_test_is_that_of_scipy(
    cases: list[tuple[NDArray[np.float64], NDArray[np.float64], int]],
) -> None:
    """Exact up to 50 differences, else normal; with ties also by scipy's permutations, all of them up to 7."""
    permuted = 0
    for before, after, _ in cases:
        change = differences(before, after)
        moved = change[change != 0]
        for side in SIDES:
            ours = signed_rank_p_value(change, side)
            assert close(ours, signed_rank(moved, side), 1e-8), (side, change)
            if 1 < len(moved) <= 7:
                permuted += 1
                theirs = stats.wilcoxon(moved, alternative=side, method=stats.PermutationMethod(n_resamples=2**8))
                assert close(ours, theirs.pvalue, 1e-8), (side, change)
    assert permuted > 20


def test_equivalence_of_means_is_that_of_statsmodels(
    cases: list[tuple[NDArray[np.float64], NDArray[np.float64], int]],
) -> None:
    """Both one-sided tests, and the larger of them."""
    compared = 0
    for before, after, number in cases:
        change = differences(before, after)
        if moments(change).deviation == 0:
            continue
        half = float(np.std(change)) * (0.1 + number % 7 / 3)
        found = equivalence(change, half, 0.05, statistic="t")
        p_value, (_, above, _), (_, below, _) = ttost_paired(after, before, -half, half)
        assert close(found.p_value, p_value, 1e-8)
        assert close(found.above, above, 1e-8)
        assert close(found.below, below, 1e-8)
        low, high = DescrStatsW(change).tconfint_mean(0.1)
        assert found.interval is not None
        assert close(found.interval[0], low, 1e-7)
        assert close(found.interval[1], high, 1e-7)
        compared += 1
    assert compared > 490


def test_equivalence_of_pseudo_medians_is_two_signed_rank_tests_of_scipy(
    cases: list[tuple[NDArray[np.float64], NDArray[np.float64], int]],
) -> None:
    """Of the differences moved by half the window, up and down; with ties up to 50 differences are counted out."""
    for before, after, number in cases:
        change = differences(before, after)
        half = float(np.std(change)) * (0.1 + number % 7 / 3)
        found = equivalence(change, half, 0.05, statistic="wilcoxon")
        for ours, moved, side in ((found.above, change + half, SIDES[0]), (found.below, change - half, SIDES[1])):
            assert np.all(moved)
            assert close(ours, signed_rank(moved, side), 1e-8), number


def test_the_pseudo_median_is_the_median_of_all_pairwise_means(
    cases: list[tuple[NDArray[np.float64], NDArray[np.float64], int]],
) -> None:
    """And its interval is of those shifts that two signed-rank tests do not reject, where these are exact.

    That is up to 50 differences without ties.
    """
    compared = 0
    for before, after, number in cases:
        change = differences(before, after)
        rows, columns = np.triu_indices(len(change))
        means = (change[rows] + change[columns]) / 2
        estimate, interval = pseudo_median(change, 0.9)
        assert close(estimate, float(np.median(means)), 1e-8)
        if interval is None:
            assert len(change) < 5
            continue
        assert pseudo_median(-change, 0.9) == (-estimate, (-interval[1], -interval[0]))
        if len(change) <= 50 and not number % 2:
            compared += 1
            outside, inside = np.nextafter(interval[0], -np.inf), interval[0] + 1e-7 * abs(interval[0])
            assert (
                stats.wilcoxon(change - outside + 1e-7 * abs(outside), alternative="greater", method="exact").pvalue
                <= 0.05
            )
            assert stats.wilcoxon(change - inside, alternative="greater", method="exact").pvalue > 0.05, number
    assert compared > 80


def test_the_test_of_moves_is_the_exact_one_of_statsmodels() -> None:
    """Which is two-sided: ours is half of it, on the side where more moved."""
    source = np.random.default_rng(7)
    for _ in range(CASES):
        few, many = sorted(int(count) for count in source.integers(0, 300, 2))
        if few == many:
            continue
        theirs = mcnemar([[5, many], [few, 5]], exact=True).pvalue
        assert close(2 * moves_p_value(many, few), theirs, 1e-8)
        # The other side has the rest of the distribution, and what was observed itself.
        rest = 1 - stats.binom.cdf(few - 1, few + many, 0.5)
        assert close(moves_p_value(few, many), rest, 1e-8)


def test_intervals_of_shares_are_those_of_statsmodels() -> None:
    """Clopper and Pearson's, called beta there."""
    source = np.random.default_rng(8)
    for _ in range(CASES):
        count = int(source.integers(1, 2000))
        hits = int(source.integers(0, count + 1))
        confidence = float(source.uniform(0.5, 0.999))
        low, high = proportion_confint(hits, count, 1 - confidence, method="beta")
        ours = clopper_pearson(hits, count, confidence)
        assert ours[0] == pytest.approx(low if hits else 0, abs=1e-10)
        assert ours[1] == pytest.approx(high if hits < count else 1, abs=1e-10)


def test_holm_is_that_of_statsmodels() -> None:
    """Of 500 p-values together, in sets of twenty: statsmodels takes a tenth of a second for one."""
    source = np.random.default_rng(9)
    for p_values in (source.random((CASES // 20, 20)) ** 3).tolist():
        theirs = multipletests(p_values, method="holm")[1]
        assert holm(p_values) == pytest.approx(list(theirs), rel=1e-12)


def _score(base: NDArray[np.int64], transformed: NDArray[np.int64], breaks: NDArray[np.bool_]) -> float:
    """Twice the share of pairs across that break, less the share of ordered pairs of two base trials."""
    across = breaks[np.ix_(base, transformed)].mean()
    count = len(base)
    within = breaks[np.ix_(base, base)].sum() / (count * (count - 1)) if count > 1 else 0.0
    return float(2 * across - within)


@pytest.mark.parametrize("directed", [False, True])
def test_the_permutation_test_of_checks_is_that_of_scipy(directed: bool) -> None:
    """On thirty random cases each of labels and of levels that must not fall, among all relabellings."""
    source = np.random.default_rng(10)
    for _ in range(30):
        base, transformed = (source.integers(0, 3, int(source.integers(2, 5))) for _ in range(2))
        levels = np.arange(3)
        breaks = levels[:, np.newaxis] > levels if directed else levels[:, np.newaxis] != levels
        theirs = stats.permutation_test(
            (base, transformed),
            lambda one, other, breaks=breaks: _score(one, other, breaks),
            n_resamples=np.inf,
            alternative="greater",
            vectorized=False,
        )
        if directed:
            together = np.concatenate([base, transformed])
            kinds = kinds_of_matrix(len(base), breaks[np.ix_(together, together)].tolist())
        else:
            kinds = kinds_of_labels(base.tolist(), transformed.tolist())
        found = all_relabellings(*kinds)
        assert found is not None
        assert found.observed / found.unit == pytest.approx(theirs.statistic, abs=1e-12)
        assert found.p_value == pytest.approx(theirs.pvalue, rel=1e-12)
