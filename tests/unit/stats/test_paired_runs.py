"""Metrics of two runs side by side: their differences leave source groups out of both at once."""

from __future__ import annotations

from array import array

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from robust.stats.case_rows import NONE, CaseRows
from robust.stats.jackknife import standard_error
from robust.stats.measurement import Measuring
from robust.stats.paired_runs import PairedRuns

LABELS = 3
shares = st.tuples(*[st.integers(1, 20)] * LABELS).map(lambda drawn: tuple(each / sum(drawn) for each in drawn))
case = st.tuples(st.integers(0, 3), st.integers(NONE, LABELS - 1), st.one_of(st.none(), shares), st.none() | shares)
Case = tuple[int, int, tuple[float, ...] | None, tuple[float, ...] | None]


def _table(cases: list[Case], place: int) -> NDArray[np.float64]:
    rows = CaseRows(LABELS)
    for drawn in cases:
        group, expected, values = drawn[0], drawn[1], drawn[place]
        if not isinstance(values, tuple):
            rows.add((group, expected, NONE, 0.0, 0.0), None)
        elif expected == NONE:
            rows.add((group, NONE, values.index(max(values)), max(values), 0.0), None)
        else:
            rows.add((group, expected, values.index(max(values)), max(values), values[expected]), values)
    return rows.table()


def _paired(cases: list[Case]) -> PairedRuns:
    distances = array("d", [0.25] * (2 * len(cases)))
    return PairedRuns(_table(cases, 2), _table(cases, 3), distances, labels=LABELS, threshold=0.5, bins=5, ordinal=True)


def _values(cases: list[Case], place: int) -> dict[str, float | None]:
    table = _table(cases, place)
    measured = Measuring(table, labels=LABELS, threshold=0.5, bins=5, ordinal=True).measure()
    return {name: metric.value for name, metric in measured.metrics.items()}


@given(st.lists(case, min_size=2, max_size=14))
def test_every_metric_has_the_error_of_leaving_out_each_source_group(cases: list[Case]) -> None:
    """Against measuring both runs anew without it; what no longer exists without one group has no interval."""
    groups = sorted({each[0] for each in cases})
    without = (
        [[_values([each for each in cases if each[0] != group], place) for place in (2, 3)] for group in groups]
        if len(groups) > 1
        else []
    )
    for name, metric in _paired(cases).metrics().items():
        if metric.estimate is None:
            continue
        left_out = [second[name] - first[name] for first, second in without]  # type: ignore[operator]
        if metric.estimate.groups == len(groups):
            assert metric.estimate.error == pytest.approx(standard_error(left_out), abs=1e-9), name
        assert metric.delta == metric.estimate.value


def test_both_runs_must_be_of_the_same_cases() -> None:
    """In the same order, with the same groups and right answers."""
    first: list[Case] = [(0, 1, (0.5, 0.3, 0.2), None), (1, 1, None, None)]
    distances = array("d", [0.0] * 4)
    for other in (first[:1], [first[0], (2, 1, None, None)], [first[0], (1, 2, None, None)]):
        tables = _table(first, 2), _table(other, 2)
        with pytest.raises(ValueError, match="over the same cases"):
            PairedRuns(*tables, distances, labels=3, threshold=None, bins=5, ordinal=False)


def test_groups_count_once_by_where_more_of_their_cases_moved() -> None:
    """Five cases of one source that all became wrong are one source that did."""
    right, wrong = (0.6, 0.2, 0.2), (0.2, 0.6, 0.2)
    worse: Case = (0, 0, right, wrong)
    cases = [worse, worse, worse, worse, worse, (1, 0, wrong, right), (1, 0, right, wrong), (2, 0, wrong, right)]
    moves = _paired(cases).moves()
    assert (moves.newly_wrong, moves.newly_right, moves.both_right, moves.both_wrong) == (6, 2, 0, 0)
    assert (moves.groups_worse, moves.groups_better) == (1, 1)


def test_without_a_case_there_is_no_segment() -> None:
    """And no interval where only one group is."""
    runs = _paired([(0, 0, (0.6, 0.2, 0.2), None)])
    assert runs.segments([], 0) == []
    (segment,) = runs.segments([0], 1)
    assert (segment.cases, segment.compared, segment.baseline, segment.candidate) == (1, 0, 1.0, None)
    assert runs.accuracy_change(segment) is None
    assert runs.flips() is None
    assert runs.total_variation().mean is None
