"""Outcomes that break a limit with the same others are of one kind."""

from __future__ import annotations

import pytest

from robust.stats.outcome_kinds import kinds_of_labels, kinds_of_matrix, observed_breaks


def test_labels_are_kinds_and_all_of_them_differ() -> None:
    """Three base trials and two transformed ones; the more frequent label comes first."""
    kinds, breaks = kinds_of_labels(["no", "yes", "no"], ["yes", "maybe"])
    assert kinds == ((2, 0), (1, 1), (0, 1))
    assert breaks == bytes([0, 1, 1, 1, 0, 1, 1, 1, 0])


def test_a_matrix_of_differing_labels_has_the_same_kinds() -> None:
    """Whatever its diagonal says."""
    labels = ["no", "yes", "no", "yes", "maybe"]
    matrix = [[i == j or a != b for j, b in enumerate(labels)] for i, a in enumerate(labels)]
    assert kinds_of_matrix(3, matrix) == kinds_of_labels(labels[:3], labels[3:])


def test_outcomes_that_break_in_one_direction_only_are_told_apart() -> None:
    """Levels 2 and 1 before, 2 and 0 after, where only a fall of the level breaks."""
    levels = [2, 1, 2, 0]
    kinds, breaks = kinds_of_matrix(2, [[b < a for b in levels] for a in levels])
    assert kinds == ((1, 1), (1, 0), (0, 1))
    assert breaks == bytes([0, 1, 1, 0, 0, 1, 0, 0, 0])
    # From 2 to 0 and from 1 to 0.
    assert observed_breaks(kinds, breaks) == 2


@pytest.mark.parametrize("matrix", [[[False, True]], [[False], [True, False]], [[False, True], [True]]])
def test_a_matrix_must_be_square(matrix: list[list[bool]]) -> None:
    """Else an outcome would be without its partners."""
    with pytest.raises(ValueError, match="columns of every row"):
        kinds_of_matrix(1, matrix)
