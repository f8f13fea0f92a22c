"""How often intervals hold the true value, by simulation."""

from __future__ import annotations

import numpy as np
import pytest

from robust.stats.intervals import clopper_pearson, jackknife_estimate, rate_estimate
from robust.stats.jackknife import macro_f1_left_out, means_left_out

TIMES = 3000
# Three standard errors of a share of 0.95 among that many.
CHANCE = 3 * (0.95 * 0.05 / TIMES) ** 0.5


def _groups(random: np.random.Generator, count: int, largest: int) -> np.ndarray:
    return np.repeat(np.arange(count), random.integers(1, largest, size=count, endpoint=True))


def _coverage(rate: float, likeness: float, count: int) -> tuple[float, float]:
    """How often the interval holds the rate, and how often one that takes all cases for independent does.

    Cases of a group share their draw with the chance that ``likeness`` is the square of.
    """
    random = np.random.default_rng([11, count, int(100 * likeness), int(100 * rate)])
    held = naive = 0
    for _ in range(TIMES):
        groups = _groups(random, count, 8)
        shared, own = random.random(count)[groups], random.random(len(groups))
        follows = random.random(len(groups)) < likeness**0.5
        estimate = rate_estimate(np.where(follows, shared, own) < rate, groups)
        assert estimate is not None
        low, high = estimate.interval(0.95) or (0, 1)
        held += low <= rate <= high
        low, high = clopper_pearson(estimate.hits, estimate.cases, 0.95)
        naive += low <= rate <= high
    return held / TIMES, naive / TIMES


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.5, 0.9, 0.98])
@pytest.mark.parametrize("count", [10, 40, 150])
def test_intervals_of_rates_of_independent_cases_hold_what_they_claim(rate: float, count: int) -> None:
    """In groups of one to eight cases."""
    assert _coverage(rate, 0, count)[0] >= 0.95 - CHANCE


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.5, 0.9, 0.98])
@pytest.mark.parametrize("likeness", [0.2, 0.8])
@pytest.mark.parametrize("count", [10, 40, 150])
def test_intervals_of_rates_of_alike_cases_hold_far_more_than_without_groups(
    rate: float, likeness: float, count: int
) -> None:
    """Close to what they claim; where few groups hold all that is rare, it is 0.9 at worst. Without groups: 0.64."""
    held, naive = _coverage(rate, likeness, count)
    assert held >= 0.89
    assert held > naive + 0.04


@pytest.mark.slow
@pytest.mark.parametrize("count", [5, 20, 100])
def test_jackknife_intervals_of_means_hold_what_they_claim(count: int) -> None:
    """Scores like those of Brier, with a part that all cases of a group share, and groups of one to eight cases."""
    random = np.random.default_rng([12, count])
    held = 0
    for _ in range(TIMES):
        groups = _groups(random, count, 8)
        values = (random.beta(2, 3, size=count)[groups] + random.beta(2, 3, size=len(groups))) / 2
        left_out = means_left_out(values, groups, count)
        low, high = jackknife_estimate(float(values.mean()), left_out, lowest=0, highest=2).interval(0.95) or (0, 1)
        held += low <= 0.4 <= high
    # In few groups of unequal size the intervals are a little short.
    assert held / TIMES >= 0.92


@pytest.mark.slow
def test_jackknife_intervals_of_macro_f1_hold_what_they_claim() -> None:
    """Three labels, one of them rare, answered right with 0.8."""
    random = np.random.default_rng(13)
    shares, right, labels = np.array([0.6, 0.3, 0.1]), 0.8, 3
    # Errors fall on the two other labels alike.
    joint = np.diag(shares * right) + (1 - np.eye(labels)) * (shares * (1 - right) / 2)[:, np.newaxis]
    scores = 2 * np.diag(joint) / (joint.sum(axis=0) + joint.sum(axis=1))
    truth, held = float(scores.mean()), 0
    for _ in range(TIMES):
        groups = _groups(random, 60, 6)
        cells = random.choice(labels * labels, size=len(groups), p=joint.ravel())
        expected, selected = np.divmod(cells, labels)
        uses = np.bincount(expected, minlength=labels) + np.bincount(selected, minlength=labels)
        hits = np.bincount(expected[expected == selected], minlength=labels)
        value = float((2 * hits / uses).mean())
        left_out = macro_f1_left_out(expected, selected, groups, labels)
        low, high = jackknife_estimate(value, left_out, lowest=0, highest=1).interval(0.95) or (0, 1)
        held += low <= truth <= high
    assert held / TIMES >= 0.93
