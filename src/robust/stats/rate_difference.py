"""The interval of the difference between two shares of things that have nothing to do with each other."""

from __future__ import annotations

import math

from robust.stats.intervals import Interval, clopper_pearson, rounded_interval


def difference_interval(first: tuple[float, float], second: tuple[float, float], confidence: float) -> Interval:
    """The interval of p₁ − p₂ from the intervals of both (MOVER: Zou & Donner 2008, Statistics in Medicine 27, 1693).

    As Newcombe (1998) does with Wilson's intervals, here with the exact ones of Clopper and Pearson, so that it is
    rather too wide than too narrow.

    Args:
        first: hits and cases; need not be whole.
        second: likewise.
        confidence: 0–1, without the ends.
    """
    one, other = first[0] / first[1], second[0] / second[1]
    low_one, high_one = clopper_pearson(*first, confidence)
    low_other, high_other = clopper_pearson(*second, confidence)
    difference = one - other
    low = difference - math.hypot(one - low_one, high_other - other)
    high = difference + math.hypot(high_one - one, other - low_other)
    return rounded_interval(max(low, -1.0), min(high, 1.0))
