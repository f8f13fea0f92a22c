"""Holm's adjustment, worked out by hand."""

from __future__ import annotations

import pytest

from robust.stats.multiple import holm, holm_at_best


def test_adjusted_values_worked_out_by_hand() -> None:
    """0.005 · 4, then 0.01 · 3, then 0.03 · 2, then 0.04, which may not be below the one before it."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_equal_values_are_adjusted_alike() -> None:
    """By the larger factor."""
    assert holm([0.02, 0.01, 0.02]) == pytest.approx([0.04, 0.03, 0.04])


def test_none_is_above_one() -> None:
    """Nor is there anything to adjust of one, or of none."""
    assert holm([0.6, 0.9]) == [1, 1]
    assert holm([0.3]) == [0.3]
    assert holm([]) == []


def test_at_best_the_others_stay_as_they_are() -> None:
    """0.02 beside 0.001 is second, and so not doubled; beside 0.5 it is first."""
    assert holm_at_best([0.3, 0.001], [0.02, 0.001]) == pytest.approx([0.02, 0.002])
    assert holm_at_best([0.3, 0.5], [0.02, 0.001]) == pytest.approx([0.04, 0.002])


@pytest.mark.parametrize("p_value", [-0.1, 1.1, float("nan")])
def test_what_is_no_p_value_is_refused(p_value: float) -> None:
    """Also what is not a number."""
    with pytest.raises(ValueError, match="from 0 to 1"):
        holm([0.5, p_value])


def test_at_best_needs_one_of_each() -> None:
    """Else it is not known which are meant."""
    with pytest.raises(ValueError, match="2 p values"):
        holm_at_best([0.5, 0.1], [0.5])
