"""Distances between two distributions over the same labels, in the same order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import mul, sub


def total_variation(p: Sequence[float], q: Sequence[float]) -> float:
    """Total variation distance ½ Σ|p − q|, 0–1.

    Raises:
        ValueError: they are not of one length.
    """
    if len(p) != len(q):
        raise ValueError(f"a distribution over {len(p)} labels cannot be compared with one over {len(q)}")
    return 0.5 * math.fsum(map(abs, map(sub, p, q)))


def jensen_shannon(p: Sequence[float], q: Sequence[float]) -> float:
    """Jensen–Shannon divergence in bits, 0–1 (Lin 1991): ½ KL(p‖m) + ½ KL(q‖m) with m = (p + q)/2."""
    terms = []
    for a, b in zip(p, q, strict=True):
        middle = (a + b) / 2
        if a > 0:
            terms.append(a * math.log2(a / middle))
        if b > 0:
            terms.append(b * math.log2(b / middle))
    return min(1.0, max(0.0, 0.5 * math.fsum(terms)))


def largest_delta(p: Sequence[float], q: Sequence[float]) -> float:
    """The largest change of one label's probability."""
    return float(max(map(abs, map(sub, p, q))))


def expected_level(p: Sequence[float]) -> float:
    """Σ index · probability over ordered levels, counted from 0."""
    return math.fsum(map(mul, range(len(p)), p))


def ranking(p: Sequence[float]) -> tuple[int, ...]:
    """Label positions from most to least probable; ties keep their order."""
    return tuple(sorted(range(len(p)), key=p.__getitem__, reverse=True))
