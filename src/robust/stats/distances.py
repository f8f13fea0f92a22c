"""Distances between two distributions over the same labels, in the same order."""

from __future__ import annotations

import math
from collections.abc import Sequence


def total_variation(p: Sequence[float], q: Sequence[float]) -> float:
    """Total variation distance ½ Σ|p − q|, 0–1."""
    return 0.5 * math.fsum(abs(a - b) for a, b in zip(p, q, strict=True))


def jensen_shannon(p: Sequence[float], q: Sequence[float]) -> float:
    """Jensen–Shannon divergence in bits, 0–1 (Lin 1991): ½ KL(p‖m) + ½ KL(q‖m) with m = (p + q)/2."""
    terms = []
    for a, b in zip(p, q, strict=True):
        middle = (a + b) / 2
        terms += [share * math.log2(share / middle) for share in (a, b) if share > 0]
    return min(1.0, max(0.0, 0.5 * math.fsum(terms)))


def largest_delta(p: Sequence[float], q: Sequence[float]) -> float:
    """The largest change of one label's probability."""
    return max(abs(a - b) for a, b in zip(p, q, strict=True))


def expected_level(p: Sequence[float]) -> float:
    """Σ index · probability over ordered levels, counted from 0."""
    return math.fsum(index * share for index, share in enumerate(p))


def ranking(p: Sequence[float]) -> tuple[int, ...]:
    """Label positions from most to least probable; ties keep their order."""
    return tuple(sorted(range(len(p)), key=lambda index: -p[index]))
