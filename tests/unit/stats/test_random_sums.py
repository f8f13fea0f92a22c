"""Random sums over cases that are alike, against the distribution that they must have."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import Philox
from scipy import stats  # type: ignore[import-untyped]

from robust.stats.random_sums import Spread, random_sums

DRAWS = 20_000


@pytest.mark.parametrize("times", [1, 2, 7, 256, 300])
def test_sums_of_two_values_are_binomial(times: int) -> None:
    """One in three; by the χ² test, with seeds that are fixed."""
    drawn = random_sums(((0, 1), (2, 1)), times, Philox(key=5), DRAWS)
    due = stats.binom(times, 1 / 3)
    edges = np.unique(due.ppf(np.linspace(0.05, 0.95, 10)))
    shares = np.diff(due.cdf([-1, *edges, times]))
    counts = np.histogram(drawn, [-0.5, *(edges + 0.5), times + 1])[0]
    assert stats.chisquare(counts[shares > 0], DRAWS * shares[shares > 0]).pvalue > 0.001


@pytest.mark.parametrize(
    "spread",
    [((0, 1, 3), (1, 4, 5)), ((0, 50), (1, 1)), ((0, 499), (10**60, 1)), (tuple(range(200)), (7,) * 200)],
    ids=["three values", "far apart", "in very many ways", "many values"],
)
def test_sums_have_the_mean_and_the_variance_of_all_their_cases(spread: Spread) -> None:
    """Also where the ways are too many to be tabled for all cases at once."""
    times = 300
    values, counts = (np.array(each, dtype=np.float64) for each in spread)
    shares = counts / counts.sum()
    mean = float(shares @ values)
    variance = float(shares @ (values - mean) ** 2)
    drawn = random_sums(spread, times, Philox(key=6), DRAWS)
    assert float(drawn.mean()) == pytest.approx(times * mean, abs=5 * (times * variance / DRAWS) ** 0.5 + 1e-9)
    assert float(drawn.var()) == pytest.approx(times * variance, rel=0.06, abs=1e-9)


def test_a_rare_value_is_as_rare_as_it_should_be() -> None:
    """One way in a thousand, of one case."""
    drawn = random_sums(((0, 1), (999, 1)), 1, Philox(key=7), 1_000_000)
    assert int(drawn.sum()) == pytest.approx(1000, abs=5 * 1000**0.5)
