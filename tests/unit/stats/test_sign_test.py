"""The exact sign test."""

from __future__ import annotations

import pytest
from scipy.stats import binomtest  # type: ignore[import-untyped]

from robust.stats.sign_test import sign_test


@pytest.mark.parametrize("first", range(0, 40, 3))
@pytest.mark.parametrize("second", [0, 1, 2, 5, 19, 40, 700])
def test_it_is_the_two_sided_binomial_test_at_one_half(first: int, second: int) -> None:
    """As scipy has it, and the same whichever outcome comes first."""
    expected = binomtest(first, first + second).pvalue if first + second else 1.0
    assert sign_test(first, second) == pytest.approx(expected, rel=1e-12)
    assert sign_test(first, second) == sign_test(second, first)


def test_very_many_outcomes_take_no_time() -> None:
    """No sum over all of them."""
    assert sign_test(10**6, 10**6) == 1
    assert sign_test(10**6 + 5000, 10**6 - 5000) < 1e-10


def test_negative_counts_are_refused() -> None:
    """There are none."""
    with pytest.raises(ValueError, match="not negative"):
        sign_test(-1, 2)
