"""Exact tests of two groups of outcomes."""

from __future__ import annotations

import math
from functools import lru_cache


@lru_cache(maxsize=4096)
def fisher_two_sided(base: tuple[int, int], transformed: tuple[int, int]) -> float:
    """The two-sided p value of Fisher's exact test (scipy's): tables at most as likely as the one that was seen.

    Args:
        base: how many base runs had the one outcome, and how many the other.
        transformed: likewise of the transformed runs.
    """
    from scipy.stats import fisher_exact  # type: ignore[import-untyped]

    return min(1.0, float(fisher_exact([base, transformed]).pvalue))


def binomial_at_least(hits: int, trials: int, chance: float) -> float:
    """The chance of so many hits or more, each trial being one with the same chance.

    It is the incomplete beta function I₍chance₎(hits, trials − hits + 1) (DLMF 8.17.5), so that many trials take no
    longer than few.
    """
    if hits <= 0:
        return 1.0
    if hits > trials:
        return 0.0
    from scipy.special import betainc  # type: ignore[import-untyped]

    return min(1.0, float(betainc(hits, trials - hits + 1, chance)))


def rarest_split(first: int, second: int) -> float:
    """The chance that outcomes of two kinds, dealt at random, fall apart into groups of these two sizes.

    That is the smallest p value that a test can give by dealing the labels of the groups anew. Where the groups are of
    one size, both ways to fall apart look alike.
    """
    return (2 if first == second else 1) / math.comb(first + second, first)
