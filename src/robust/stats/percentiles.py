"""Percentiles of what was observed."""

from __future__ import annotations

import math
from collections.abc import Sequence


def percentile(ordered: Sequence[float], percent: float) -> float:
    """A percentile by linear interpolation between the closest ranks (type 7 of Hyndman & Fan 1996; numpy's default).

    Args:
        ordered: at least one number, in ascending order.
        percent: 0–100.

    Raises:
        ValueError: there are no numbers, or ``percent`` is outside of its range.
    """
    if not ordered or not 0 <= percent <= 100:
        raise ValueError(f"there is no percentile {percent} of {len(ordered)} numbers")
    position = (len(ordered) - 1) * percent / 100
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (position - below)
