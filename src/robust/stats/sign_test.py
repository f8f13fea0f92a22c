"""Whether one of two outcomes that chance makes equally probable came too often: the exact sign test."""

from __future__ import annotations

from robust.stats.exact_tests import binomial_at_least


def sign_test(first: int, second: int) -> float:
    """The two-sided p value of the exact binomial test at one half (Conover 1999, section 3.4).

    Args:
        first: how often the one outcome came.
        second: how often the other did.

    Returns:
        1 where neither came.

    Raises:
        ValueError: a count is negative.
    """
    if first < 0 or second < 0:
        raise ValueError(f"counts are not negative: {first}, {second}")
    # At one half both tails are alike.
    return min(1.0, 2 * binomial_at_least(max(first, second), first + second, 0.5))
