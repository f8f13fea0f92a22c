"""Tests of paired differences in one direction: Student's t, the signed-rank test, and the exact test of moves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from robust.stats.exact_tests import binomial_at_least
from robust.stats.intervals import Interval, student_quantile
from robust.stats.wide_sum import wide_sum

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Side: TypeAlias = Literal["greater", "less"]
# Up to so many differences the distribution of the signed-rank sum is counted out, ties included.
EXACT_RANKS: Final = 50
# A difference of so many units in the last place of its larger number is the rounding of none.
ROUNDING_UNITS: Final = 4
# Libraries and processors differ in the last bits; numbers are given to as many digits as all agree on.
_DIGITS: Final = 10


@dataclass(frozen=True, slots=True)
class Moments:
    """What the t-test needs of some differences.

    Attributes:
        count: how many there are.
        mean: their mean, by the correctly rounded sum.
        deviation: their standard deviation (with count − 1); 0 exactly where they are equal but for rounding, NaN of
            fewer than two.
    """

    count: int
    mean: float
    deviation: float

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        return self.deviation / math.sqrt(self.count) if self.count else math.nan


def significant(value: float) -> float:
    """A number to as many significant digits as every version of the libraries gives alike."""
    return float(f"{value:.{_DIGITS}g}")


def differences(before: NDArray[np.float64], after: NDArray[np.float64]) -> NDArray[np.float64]:
    """After minus before; exactly 0 where the two are equal but for rounding.

    Args:
        before: finite numbers.
        after: as many.
    """
    import numpy as np

    with np.errstate(over="ignore"):
        change = after - before
    change[np.abs(change) <= rounding(before, after)] = 0.0
    return change


def rounding(before: NDArray[np.float64], after: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far apart two numbers may be by rounding alone, of each pair."""
    import numpy as np

    largest: NDArray[np.float64] = np.maximum(np.abs(before), np.abs(after))
    largest[~np.isfinite(largest)] = 0.0
    return largest * (ROUNDING_UNITS * float(np.finfo(np.float64).eps))


def moments(change: NDArray[np.float64], slack: NDArray[np.float64] | None = None) -> Moments:
    """Mean and standard deviation of differences, without overflow.

    Args:
        change: the differences.
        slack: how far each may be off by the rounding of what it was made of: if one number is within it of all of
            them, they are equal, and their deviation is 0.
    """
    count = len(change)
    if not count:
        return Moments(0, math.nan, math.nan)
    low, high = float(change.min()), float(change.max())
    if not (math.isfinite(low) and math.isfinite(high)):
        return Moments(count, math.nan, math.nan)
    scale = max(abs(low), abs(high))
    if low == high:
        return Moments(count, low, 0.0 if count > 1 else math.nan)
    if slack is not None:
        least, most = float((change - slack).max()), float((change + slack).min())
        if least <= most:
            return Moments(count, least / 2 + most / 2, 0.0)
    scaled = change / scale
    mean = wide_sum(scaled) / count
    centred = scaled - mean
    deviation = math.sqrt(wide_sum(centred * centred) / (count - 1)) if count > 1 else math.nan
    return Moments(count, mean * scale, deviation * scale)


def t_p_value(found: Moments, side: Side, null: float = 0.0) -> float:
    """The one-sided p-value of the paired t-test (Student 1908, Biometrika 6, 1–25), which is one of the differences.

    Where all differences are equal, the statistic is beyond all bounds: p is 0 on that side and 1 on the other; where
    they all equal the null hypothesis, no number is a p-value.

    Args:
        found: of the differences.
        side: whether the mean is greater or less than the null hypothesis.
        null: the mean under the null hypothesis.

    Returns:
        NaN where there is none: fewer than two differences, or all are equal to the null hypothesis.
    """
    from scipy.special import stdtr  # type: ignore[import-untyped]

    distance = found.mean - null if side == "greater" else null - found.mean
    if math.isnan(found.deviation) or (found.deviation == 0 and distance == 0):
        return math.nan
    if found.deviation == 0:
        return 0.0 if distance > 0 else 1.0
    return significant(float(stdtr(found.count - 1, -distance / found.error)))


def t_interval(found: Moments, confidence: float) -> Interval | None:
    """The two-sided interval of the mean, mean ± t₍n−1₎ · s/√n; None of fewer than two differences.

    Args:
        found: of the differences.
        confidence: 0–1, without the ends.
    """
    if math.isnan(found.deviation):
        return None
    reach = student_quantile(confidence, found.count - 1) * found.error if found.deviation else 0.0
    return significant(found.mean - reach), significant(found.mean + reach)


def signed_rank_p_value(change: NDArray[np.float64], side: Side, slack: NDArray[np.float64] | None = None) -> float:
    """The one-sided p-value of the signed-rank test (Wilcoxon 1945, Biometrics Bulletin 1, 80–83).

    Differences of 0 are left out, as Wilcoxon did; tied ones share their mean rank. Up to :data:`EXACT_RANKS`
    differences all assignments of signs to these ranks are counted, so that ties are no approximation; beyond, it is
    the normal distribution with the variance n(n+1)(2n+1)/24 − Σ(t³−t)/48 for ties of t (Lehmann 1975, Nonparametrics,
    section 3.2), without continuity correction.

    Args:
        change: the differences.
        side: whether they are more, and farther, above 0 or below it.
        slack: how far each may be off by the rounding of what it was made of: those next to each other in size are tied
            if they are within it.

    Returns:
        NaN where no difference is left, or one is not a number.
    """
    import numpy as np
    from scipy.special import ndtr

    if np.isnan(change).any():
        return math.nan
    some = change != 0
    moved = change[some]
    count = len(moved)
    if not count:
        return math.nan
    if side == "less":
        moved = -moved
    places, sizes = _ties(np.abs(moved), None if slack is None else slack[some])
    # Twice the mean ranks, which are whole numbers.
    doubled = 2 * np.cumsum(sizes) - sizes + 1
    ranks = doubled[places]
    above = int(ranks[moved > 0].sum())
    if count <= EXACT_RANKS:
        share: float = int(ways_of_signs(ranks.tolist())[above:].sum()) / 2**count
        return significant(share)
    tied = sizes.astype(np.float64)
    variance = count * (count + 1) * (2 * count + 1) / 24 - float(np.sum(tied**3 - tied)) / 48
    deviate = (above / 2 - count * (count + 1) / 4) / math.sqrt(variance)
    return significant(float(ndtr(-deviate)))


def _ties(sizes: NDArray[np.float64], slack: NDArray[np.float64] | None) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The tie that each size belongs to, by number in ascending order, and how many belong to each."""
    import numpy as np

    if slack is None:
        _, places, counts = np.unique(sizes, return_inverse=True, return_counts=True)
        return places, counts
    order = np.argsort(sizes, kind="stable")
    ordered, off = sizes[order], slack[order]
    apart = np.zeros(len(order), dtype=np.intp)
    # Of two infinite ones the distance is not a number, and they are tied.
    with np.errstate(invalid="ignore"):
        apart[1:] = ordered[1:] - ordered[:-1] > off[1:] + off[:-1]
    places = np.empty_like(apart)
    places[order] = np.cumsum(apart)
    return places, np.bincount(places)


def ways_of_signs(ranks: Sequence[int]) -> NDArray[np.int64]:
    """In how many assignments of signs the positive ranks have each sum, from 0 to the sum of all; exact.

    Args:
        ranks: whole numbers above 0, at most :data:`EXACT_RANKS` of them.
    """
    import numpy as np

    ways = np.zeros(sum(ranks) + 1, dtype=np.int64)
    ways[0] = 1
    for rank in ranks:
        ways[rank:] += ways[:-rank].copy()
    return ways


def moves_p_value(towards: int, away: int) -> float:
    """The exact one-sided p-value of moves in two directions, as McNemar's test with the binomial distribution.

    P(X ≥ towards) for X of the binomial distribution of towards + away trials and the share ½ (McNemar 1947,
    Psychometrika 12, 153–157; exact as in Dixon & Mood 1946, JASA 41, 557–566).

    Args:
        towards: how many moved in the direction of the claim.
        away: how many moved in the other.

    Returns:
        NaN where nothing moved.
    """
    if not towards + away:
        return math.nan
    return significant(binomial_at_least(towards, towards + away, 0.5))
