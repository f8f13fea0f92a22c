"""How often noise alone is taken for a finding, and how often a finding is found, by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats  # type: ignore[import-untyped]

from robust.stats.exchange import Exchange
from robust.stats.multiple import holm
from robust.stats.noise import judge_noise

TIMES = 1000
# Fewer than a run makes: the test is as exact with them, and a little weaker.
DRAWS = 999
ALPHA = 0.05


def _at_most(share: float, times: int = TIMES) -> int:
    """What an event with that chance exceeds once in a thousand simulations, by the exact binomial distribution."""
    return int(stats.binom.ppf(0.999, times, share))


def _at_least(share: float, times: int = TIMES) -> int:
    return int(stats.binom.ppf(0.001, times, share))


def _labels(flips: int, trials: int) -> str:
    return "B" * flips + "A" * (trials - flips)


def _p_value(
    seed: int,
    base: NDArray[np.int64],
    runs: int,
    transformed: NDArray[np.int64],
    trials: int,
    groups: NDArray[np.int64],
) -> float:
    """Of cases of which so many trials flipped, before and after."""
    test = Exchange(seed, DRAWS)
    for key, (group, before, after) in enumerate(
        zip(groups.tolist(), base.tolist(), transformed.tolist(), strict=True)
    ):
        test.add_labels(group, _labels(before, runs), _labels(after, trials), key)
    found = test.result()
    assert found is not None
    return found.p_value


def p_values(name: int, rates: tuple[float, float], cases: int, runs: int, trials: int) -> NDArray[np.float64]:
    """Of many simulations.

    Args:
        name: what tells their random numbers from those of others.
        rates: the chance of each trial to flip, of the base and transformed.
        cases: how many there are, each a source group of its own.
        runs: base trials of each.
        trials: transformed trials of each.
    """
    random = np.random.default_rng([21, name, cases, runs, trials, *(int(1000 * rate) for rate in rates)])
    base = random.binomial(runs, rates[0], size=(TIMES, cases))
    transformed = random.binomial(trials, rates[1], size=(TIMES, cases))
    groups = np.arange(cases)
    return np.array([_p_value(time, base[time], runs, transformed[time], trials, groups) for time in range(TIMES)])


@pytest.mark.slow
@pytest.mark.parametrize("runs", [2, 3, 5])
def test_noise_alone_is_hardly_ever_a_finding(runs: int) -> None:
    """A model with 20 % random flips, 200 cases, one transformed trial of each; and not because nothing ever is."""
    alarms = np.count_nonzero(p_values(1, (0.2, 0.2), 200, runs, 1) < ALPHA)
    assert _at_least(0.04) <= alarms <= _at_most(ALPHA)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("runs", "trials", "power"), [(2, 1, 0.87), (3, 1, 0.95), (5, 1, 0.95), (2, 3, 0.9), (3, 3, 0.95)]
)
def test_twenty_points_more_of_flips_are_found(runs: int, trials: int, power: float) -> None:
    """Forty per cent instead of twenty, among 200 cases; a little less often where the base is decided but twice.

    Also where there are more transformed trials than base ones.
    """
    assert np.count_nonzero(p_values(2, (0.2, 0.4), 200, runs, trials) < ALPHA) >= _at_least(power)


@pytest.mark.slow
def test_few_cases_that_change_for_good_are_found() -> None:
    """Ten of 200 cases answer otherwise whenever they are transformed, beside a noise of 5 %."""
    random = np.random.default_rng(25)
    cases, runs, trials, found = 200, 3, 3, 0
    after = np.where(np.arange(cases) < 10, 0.95, 0.05)
    for time in range(TIMES):
        flips = random.binomial(runs, 0.05, size=cases), random.binomial(trials, after)
        found += _p_value(time, flips[0], runs, flips[1], trials, np.arange(cases)) < ALPHA
    assert found >= _at_least(0.95)


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.01, 0.05, 0.1, 0.3])
@pytest.mark.parametrize("runs", [1, 3, 5])
def test_a_property_that_changes_nothing_is_hardly_ever_a_finding(rate: float, runs: int) -> None:
    """Three transformed trials of each of 60 cases, whatever the noise and however often the base is decided."""
    assert np.count_nonzero(p_values(3, (rate, rate), 60, runs, 3) < ALPHA) <= _at_most(ALPHA)


@pytest.mark.slow
def test_cases_of_their_own_noise_in_groups_of_different_sizes_are_hardly_ever_a_finding() -> None:
    """Each case has its own rate of flips, groups have 1 to 20 cases, trials fail now and then."""
    random = np.random.default_rng(22)
    levels = (0.01, 0.05, 0.1, 0.5)
    alarms = dict.fromkeys(levels, 0)
    for time in range(TIMES):
        groups = np.repeat(np.arange(12), random.permutation([1] * 6 + [3] * 4 + [12, 20]))
        rates = random.beta(0.4, 1.6, size=len(groups))
        test = Exchange(time, DRAWS)
        sides = (random.integers(1, most, size=len(groups), endpoint=True) for most in (3, 4))
        for key, (group, rate, runs, trials) in enumerate(zip(groups.tolist(), rates.tolist(), *sides, strict=True)):
            flips = random.binomial([runs, trials], rate)
            test.add_labels(group, _labels(flips[0], runs), _labels(flips[1], trials), key)
        found = test.result()
        assert found is not None
        for level in levels:
            alarms[level] += found.p_value <= level
    for level in levels:
        assert alarms[level] <= _at_most(level)
    assert alarms[0.5] >= _at_least(0.45)


@pytest.mark.slow
@pytest.mark.parametrize("direction", [False, True])
def test_distances_and_directions_with_too_many_relabellings_to_look_at_are_exact_too(direction: bool) -> None:
    """Two cases, five base and ten transformed answers: 3,003 relabellings, of which a part is looked at.

    A pair breaks where the answers are further apart than a standard deviation, or where the second is lower.
    """
    random = np.random.default_rng([23, direction])
    times, levels = 400, (0.01, 0.05, 0.2, 0.5)
    alarms = dict.fromkeys(levels, 0)
    for time in range(times):
        test = Exchange(time, DRAWS)
        for key in range(2):
            answers = random.normal(size=15)
            apart = answers[:, np.newaxis] - answers
            test.add(key, 5, ((apart if direction else np.abs(apart)) > 1 - direction).tolist(), key)
        found = test.result()
        assert found is not None
        for level in levels:
            alarms[level] += found.p_value <= level
    for level in levels:
        assert _at_least(0.8 * level, times) <= alarms[level] <= _at_most(level, times)


def _two_properties(name: int, rates: tuple[float, float]) -> NDArray[np.bool_]:
    """Which of two properties fail with their limit of 0.1 on flips, in many simulations; they share their base."""
    random = np.random.default_rng([24, name])
    cases, runs = 200, 3
    groups = np.arange(cases)
    failed = np.zeros((TIMES, 2), dtype=np.bool_)
    for time in range(TIMES):
        base = random.binomial(runs, 0.2, size=cases)
        after = [random.binomial(1, rate, size=cases) for rate in rates]
        found = holm([_p_value(2 * time + side, base, runs, after[side], 1, groups) for side in (0, 1)])
        for side in (0, 1):
            flipped = (base * (1 - after[side]) + (runs - base) * after[side]).mean() / runs
            over = bool(flipped > 0.1 + 1e-9)
            verdict = judge_noise(over_limit=over, p_value=found[side], smallest_p=0.0, alpha=ALPHA)
            failed[time, side] = verdict == "fail"
    return failed


@pytest.mark.slow
def test_of_two_properties_that_change_nothing_hardly_ever_one_fails() -> None:
    """One or the other, in one run."""
    assert np.count_nonzero(_two_properties(1, (0.2, 0.2)).any(axis=1)) <= _at_most(ALPHA)


@pytest.mark.slow
def test_of_two_properties_the_one_that_changes_answers_fails() -> None:
    """And hardly ever the other."""
    failed = _two_properties(2, (0.2, 0.4))
    assert np.count_nonzero(failed[:, 1]) >= _at_least(0.95)
    assert np.count_nonzero(failed[:, 0]) <= _at_most(ALPHA)
