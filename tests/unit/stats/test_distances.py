"""Distances between distributions: laws of a metric, and values worked out by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust.stats.distances import expected_level, jensen_shannon, largest_delta, ranking, total_variation


def _normalised(weights: list[int]) -> tuple[float, ...]:
    total = sum(weights) or 1
    return tuple(weight / total for weight in weights) if sum(weights) else (1.0, *[0.0] * (len(weights) - 1))


def _tuples(count: int) -> st.SearchStrategy[list[tuple[float, ...]]]:
    one = st.lists(st.integers(0, 1000), min_size=count, max_size=count).map(_normalised)
    return st.lists(one, min_size=3, max_size=3)


triples = st.integers(2, 6).flatmap(_tuples)


@pytest.mark.parametrize(
    ("p", "q", "distance"),
    [((1.0, 0.0), (0.0, 1.0), 1.0), ((0.7, 0.3), (0.6, 0.4), 0.1), ((0.5, 0.3, 0.2), (0.2, 0.3, 0.5), 0.3)],
)
def test_total_variation_is_half_the_sum_of_differences(
    p: tuple[float, ...], q: tuple[float, ...], distance: float
) -> None:
    """Values worked out by hand."""
    assert total_variation(p, q) == pytest.approx(distance, abs=1e-15)


def test_jensen_shannon_is_one_bit_between_disjoint_distributions() -> None:
    """And 0.3112781 bits between a fair and a certain coin."""
    assert jensen_shannon((1.0, 0.0), (0.0, 1.0)) == 1.0
    # H(m) − ½H(p) − ½H(q) with m = (¾, ¼)
    entropy = -(0.75 * math.log2(0.75) + 0.25 * math.log2(0.25))
    assert jensen_shannon((0.5, 0.5), (1.0, 0.0)) == pytest.approx(entropy - 0.5, abs=1e-15)


@given(triples)
def test_distances_obey_the_laws_of_a_metric(given_three: list[tuple[float, ...]]) -> None:
    """Zero to itself, symmetric, within 0–1, and total variation obeys the triangle inequality."""
    p, q, r = given_three
    for distance in (total_variation, jensen_shannon, largest_delta):
        assert distance(p, p) == 0
        assert distance(p, q) == distance(q, p)
        assert 0 <= distance(p, q) <= 1 + 1e-12
    assert total_variation(p, r) <= total_variation(p, q) + total_variation(q, r) + 1e-12
    # Lin's bounds: JS is squeezed between functions of the total variation.
    assert jensen_shannon(p, q) <= total_variation(p, q) + 1e-12
    assert largest_delta(p, q) <= 2 * total_variation(p, q) + 1e-12


def test_distributions_over_other_labels_cannot_be_compared() -> None:
    """Lengths that differ are an error, not a silent cut."""
    with pytest.raises(ValueError, match="over 2 labels"):
        total_variation((0.5, 0.5), (1.0,))


def test_the_expected_level_counts_from_zero() -> None:
    """Σ index · p."""
    assert expected_level((0.2, 0.3, 0.5)) == pytest.approx(1.3, abs=1e-15)
    assert expected_level((1.0, 0.0, 0.0)) == 0


def test_ties_in_a_ranking_keep_the_order_of_the_labels() -> None:
    """The label listed first goes first."""
    assert ranking((0.2, 0.4, 0.4)) == (1, 2, 0)
    assert ranking((0.25, 0.25, 0.25, 0.25)) == (0, 1, 2, 3)
