"""The pseudo-median of differences and its interval, also of a million of them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from robust.stats.intervals import Interval
from robust.stats.paired import EXACT_RANKS, significant, ways_of_signs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Up to so many differences all of their pairwise means are held at once.
_AT_ONCE: Final = 1500
# Of more differences, when no more of the means are left than this.
_FEW_AVERAGES: Final = 4_000_000
# Tied means are taken as found within this share of the range of the differences, which is below what is shown of it.
_PRECISION: Final = 2.0**-40


def pseudo_median(change: NDArray[np.float64], confidence: float) -> tuple[float, Interval | None]:
    """The Hodges–Lehmann estimate and its interval.

    The estimate is the median of the Walsh averages (dᵢ + dⱼ)/2, i ≤ j (Hodges & Lehmann 1963, Ann. Math. Stat. 34,
    598–611). The interval is Tukey's: from the k-th smallest average to the k-th largest, where k is the largest number
    with P(W < k) ≤ (1 − confidence)/2 of the signed-rank sum W; beyond :data:`EXACT_RANKS` differences W is taken as
    normal (Hollander, Wolfe & Chicken 2014, Nonparametric Statistical Methods, section 3.3).

    Args:
        change: the differences; at least one.
        confidence: 0–1, without the ends.

    Returns:
        The estimate, and the interval; None where there are too few differences for any interval. NaN and None where a
        difference is not finite.
    """
    import numpy as np

    ordered = np.sort(change)
    low, high = float(ordered[0]), float(ordered[-1])
    if not (math.isfinite(low) and math.isfinite(high)):
        return math.nan, None
    count = len(ordered)
    place = _interval_place(count, (1 - confidence) / 2)
    if low == high:
        return significant(low), None if place is None else (significant(low), significant(low))
    averages = count * (count + 1) // 2
    wanted = [(averages + 1) // 2, averages // 2 + 1]
    if place is not None:
        wanted += [place, averages + 1 - place]
    found = _walsh_averages(ordered, wanted)
    estimate = significant((found[wanted[0]] + found[wanted[1]]) / 2)
    if place is None:
        return estimate, None
    return estimate, (significant(found[place]), significant(found[averages + 1 - place]))


def _interval_place(count: int, tail: float) -> int | None:
    """Which of the smallest averages the interval begins at, counted from 1; None of too few differences."""
    import numpy as np

    if count > EXACT_RANKS:
        from scipy.special import ndtri  # type: ignore[import-untyped]

        deviation = math.sqrt(count * (count + 1) * (2 * count + 1) / 24)
        return max(1, math.floor(count * (count + 1) / 4 + float(ndtri(tail)) * deviation + 0.5))
    shares = np.cumsum(ways_of_signs(range(1, count + 1))) / 2**count
    return int(np.searchsorted(shares, tail, side="right")) or None


def _walsh_averages(ordered: NDArray[np.float64], places: list[int]) -> dict[int, float]:
    """The Walsh averages of those ranks, counted from 1."""
    import numpy as np

    count = len(ordered)
    if count <= _AT_ONCE:
        rows, columns = np.triu_indices(count)
        averages = ordered[rows] / 2 + ordered[columns] / 2
        averages.partition(sorted({place - 1 for place in places}))
        return {place: float(averages[place - 1]) for place in places}
    return {place: _searched(ordered, place) for place in dict.fromkeys(places)}


def _searched(ordered: NDArray[np.float64], place: int) -> float:
    """The average of that rank: the range of values is halved until few enough averages are left to look at each.

    Each step counts the averages up to a value in n log n. Where very many are tied the range ends as that one value.
    """
    import numpy as np

    low, high = float(ordered[0]), float(ordered[-1])
    # No average is at most this one, and all are at most the other.
    low = float(np.nextafter(low, -math.inf))
    below, up_to = 0, len(ordered) * (len(ordered) + 1) // 2
    least = (high - low) * _PRECISION
    while up_to - below > _FEW_AVERAGES:
        middle = low + (high - low) / 2
        if high - low <= least or not low < middle < high:
            return high
        count = _averages_up_to(ordered, middle)
        if count >= place:
            high, up_to = middle, count
        else:
            low, below = middle, count
    left = _averages_between(ordered, low, high)
    left.partition(place - below - 1)
    return float(left[place - below - 1])


def _averages_up_to(ordered: NDArray[np.float64], value: float) -> int:
    """How many Walsh averages are at most so much."""
    import numpy as np

    partners = np.searchsorted(ordered, 2 * value - ordered, side="right")
    # Of each difference only those from itself on, so that a pair counts once.
    return int(np.maximum(partners - np.arange(len(ordered)), 0).sum())


def _averages_between(ordered: NDArray[np.float64], low: float, high: float) -> NDArray[np.float64]:
    """The Walsh averages above ``low`` and up to ``high``, in no order."""
    import numpy as np

    own = np.arange(len(ordered))
    starts = np.maximum(np.searchsorted(ordered, 2 * low - ordered, side="right"), own)
    ends = np.maximum(np.searchsorted(ordered, 2 * high - ordered, side="right"), starts)
    sizes = ends - starts
    first = np.repeat(own, sizes)
    second = np.arange(len(first)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + np.repeat(starts, sizes)
    averages: NDArray[np.float64] = ordered[first] / 2 + ordered[second] / 2
    return averages
