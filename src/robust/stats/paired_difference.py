"""The difference of two means over the same cases, which way cases moved, and which segment moved most."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from robust.stats.exact_sum import exact_sum, group_sums
from robust.stats.exact_tests import binomial_at_least
from robust.stats.intervals import JackknifeEstimate, jackknife_estimate
from robust.stats.paired import significant

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def mean_difference(
    baseline: tuple[NDArray[np.float64], NDArray[np.bool_]],
    candidate: tuple[NDArray[np.float64], NDArray[np.bool_]],
    groups: NDArray[np.int64],
    delta: float,
    highest: float,
) -> JackknifeEstimate | None:
    """The difference of two means, each over its own ones of the same cases, with its delete-one-group jackknife error.

    A source group is left out of both means at once, so that what its cases have in common in both runs does not count
    as uncertainty.

    Args:
        baseline: a number for each case, and which of them the mean is over.
        candidate: likewise.
        groups: the source group of each case.
        delta: the difference, candidate minus baseline.
        highest: the greatest value of a mean, whose least is 0.

    Returns:
        None of fewer than two groups, and where one group has all that a mean is over.
    """
    import numpy as np

    either = baseline[1] | candidate[1]
    found, inverse = np.unique(groups[either], return_inverse=True)
    if len(found) < 2:
        return None
    numbered = np.zeros(len(groups), dtype=np.int64)
    numbered[either] = inverse
    first, second = (_left_out(values, among, numbered, len(found)) for values, among in (baseline, candidate))
    change = second - first
    if np.isnan(change).any():
        return None
    return jackknife_estimate(delta, change.tolist(), lowest=-highest, highest=highest)


def _left_out(
    values: NDArray[np.float64], among: NDArray[np.bool_], groups: NDArray[np.int64], count: int
) -> NDArray[np.float64]:
    """The mean without each group; NaN where nothing is left."""
    import numpy as np

    chosen, numbered = values[among], groups[among]
    sums = np.array(group_sums(numbered, chosen, count))
    left = len(chosen) - np.bincount(numbered, minlength=count)
    rest: NDArray[np.float64] = np.full(count, math.nan)
    np.divide(exact_sum(chosen) - sums, left, out=rest, where=left > 0)
    return rest


def negated(estimate: JackknifeEstimate | None) -> JackknifeEstimate | None:
    """The estimate of a drop from that of a rise."""
    if estimate is None:
        return None
    return replace(estimate, value=-estimate.value, lowest=-estimate.highest, highest=-estimate.lowest)


def mcnemar_p_value(first: int, second: int) -> float:
    """The exact two-sided p value of McNemar's test (McNemar 1947, Psychometrika 12, 153–157).

    Under the null hypothesis each of the moves is as likely to go either way: the smaller tail of the binomial
    distribution of all moves with the share ½, doubled, and at most 1. It takes the cases for independent.

    Args:
        first: how many moved one way.
        second: how many moved the other way.

    Returns:
        1 where nothing moved, which speaks against nothing.
    """
    if not first + second:
        return 1.0
    return significant(min(1.0, 2 * binomial_at_least(max(first, second), first + second, 0.5)))


def worst_segment(drops: Sequence[tuple[float, float | None]], *, bound: bool) -> int | None:
    """Which segment decides a limit on all of them; None of none.

    Args:
        drops: by segment how much its accuracy dropped, and the upper end of the interval of that drop.
        bound: whether the upper end is judged; then one without an interval decides first, as it leaves it open.
    """
    if not drops:
        return None
    if not bound:
        return max(range(len(drops)), key=lambda place: drops[place][0])
    ends = [math.inf if end is None else end for _, end in drops]
    return max(range(len(drops)), key=lambda place: (ends[place], drops[place][0]))
