"""What counts as a move in a direction, and what a population test says where nothing moved or outputs are missing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from robust import UsageError, column_edits, decreasing, increasing, invariance
from tests.unit.population.test_population import X, first, moved


@pytest.mark.parametrize(("test", "sign"), [(increasing, 1), (decreasing, -1)])
def test_a_move_must_be_more_than_a_share_of_the_output_before(test: Any, sign: int) -> None:
    """Or than ``abs_tol``, where that is more; outputs of both signs have one, and rounding is no move."""
    data = np.column_stack([np.resize([10.0, -10.0, 0.3, 0.0], 20), np.zeros(20)])
    change = moved(*(sign * size for size in (1.5, 0.9, 0.03, 0.001)))
    assert test(first, data, change).metric == 1
    shown = test(first, data, change, output_sensitivity=0.1)
    assert (shown.metric, shown.failing[:3], shown.settings.output_sensitivity) == (0.5, (1, 2, 5), 0.1)
    assert test(first, data, change, output_sensitivity=0.1, abs_tol=0.01).metric == 0.25
    assert test(first, data, change, output_sensitivity=0.2).metric == 0.25
    opposite = increasing if sign < 0 else decreasing
    assert opposite(first, data, change, output_sensitivity=0.0001).metric == 0
    with pytest.raises(UsageError, match="negative"):
        test(first, data, change, output_sensitivity=-0.1)


def test_a_share_of_the_output_decides_about_rows_and_not_about_the_mean() -> None:
    """The tests of directions take every change as it is."""
    for method in ("t_test", "wilcoxon"):
        any_move = increasing(first, X + 100, moved(1, 1, 2), method=method)
        large = increasing(first, X + 100, moved(1, 1, 2), method=method, output_sensitivity=0.5)
        assert (any_move.row_share, large.row_share) == (1, 0)
        assert (any_move.verdict, any_move.p_value) == (large.verdict, large.p_value) == ("holds", large.p_value)


@pytest.mark.parametrize("sensitivity", [0, 0.1])
def test_to_or_from_an_infinite_output_is_a_move(sensitivity: float) -> None:
    """Farther than any share of it; one that stays infinite has not moved."""
    up = lambda rows: np.where(rows[:, 0] >= 100, np.inf, 1.0)  # noqa: E731
    down = lambda rows: np.where(rows[:, 0] >= 100, 1.0, np.inf)  # noqa: E731
    stays = lambda rows: np.full(len(rows), np.inf)  # noqa: E731
    options: dict[str, Any] = {"output_sensitivity": sensitivity}
    assert [increasing(each, X, moved(1000), **options).metric for each in (up, down, stays)] == [1, 0, 0]
    assert [decreasing(each, X, moved(1000), **options).metric for each in (up, down, stays)] == [0, 1, 0]


def test_the_share_of_rows_in_groups_has_its_interval_where_predictions_are_missing_too() -> None:
    """That of the rows that are left, as if they were all; a group without any of them is gone."""
    groups = [place // 4 for place in range(20)]
    model = lambda rows: np.where(rows[:, 1] < 8, np.nan, rows[:, 0] * 1.0)  # noqa: E731
    data = np.column_stack([X[:, 0] + 100, np.arange(20.0)])
    change = moved(*[0.25] * 8, *[90.0] * 4, *[0.5] * 8)
    missing = invariance(model, data, change, groups=groups)
    left = invariance(first, data[8:], moved(*[90.0] * 4, *[0.5] * 8), groups=groups[8:])
    assert (missing.verdict, missing.reason, missing.missing_before) == ("inconclusive", "missing_predictions", 8)
    assert (missing.row_share, missing.row_interval) == (left.row_share, left.row_interval)
    rows = invariance(first, data[8:], moved(*[90.0] * 4, *[0.5] * 8))
    assert missing.row_interval != rows.row_interval


@pytest.mark.parametrize("groups", [None, [place // 5 for place in range(30)]])
def test_no_direction_is_shown_or_denied_where_nothing_moved(groups: Any) -> None:
    """In the test of labels as in those of numbers."""
    rows = [{"x": 1.0 * place, "label": "ab"[place % 2]} for place in range(30)]
    change = column_edits.shifted("x", 1)
    labelled = lambda rows: [row["label"] for row in rows]  # noqa: E731
    constant = lambda rows: [1.0] * len(rows)  # noqa: E731
    for test in (increasing, decreasing):
        found = [
            test(labelled, rows, change, method="mcnemar", label="a", groups=groups),
            *(test(constant, rows, change, method=method, groups=groups) for method in ("t_test", "wilcoxon")),
        ]
        assert {(each.verdict, each.reason, each.p_value) for each in found} == {("inconclusive", "no_p_value", None)}
        assert "no output moved" in found[0].message
