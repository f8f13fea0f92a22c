"""Rows of numbers: what goes in comes out, whatever the block in which it was packed."""

from __future__ import annotations

import numpy as np
import pytest

from robust.stats.case_rows import COLUMNS, NONE, CaseRows, Row


def _rows(count: int) -> list[tuple[Row, list[float] | None]]:
    rows: list[tuple[Row, list[float] | None]] = []
    for index in range(count):
        if index % 3 == 0:
            rows.append(((index, NONE, NONE, 0.0, 0.0), None))
        elif index % 3 == 1:
            rows.append(((index, NONE, 1, 0.75, 0.0), None))
        else:
            rows.append(((index, 0, 1, 0.75, 0.25), [0.25, 0.75]))
    return rows


def test_no_case_is_an_empty_table() -> None:
    """With its columns."""
    rows = CaseRows(2)
    assert len(rows) == 0
    assert rows.table().shape == (0, COLUMNS)


@pytest.mark.parametrize("count", [1, 1023, 1024, 1025, 5000])
def test_rows_come_out_in_order_with_their_brier_scores(count: int) -> None:
    """Around the size of a block, and with an answer or an expectation missing."""
    rows = CaseRows(2)
    for row, distribution in _rows(count):
        rows.add(row, distribution)
    assert len(rows) == count
    due = [[*row, 0.0 if distribution is None else 2 * 0.75**2] for row, distribution in _rows(count)]
    assert rows.table().tolist() == due


def test_rows_may_be_added_after_the_table_was_taken() -> None:
    """The table that was taken stays what it was."""
    rows = CaseRows(2)
    rows.add((0, 0, 0, 1.0, 1.0), [1, 0])
    first = rows.table()
    rows.add((1, 0, 1, 1.0, 0.0), [0, 1])
    assert first.tolist() == [[0, 0, 0, 1, 1, 0]]
    assert rows.table().tolist() == [[0, 0, 0, 1, 1, 0], [1, 0, 1, 1, 0, 2]]


def test_very_many_labels_are_packed_a_few_cases_at_a_time() -> None:
    """So that waiting distributions do not fill the memory; the numbers are the same."""
    labels = 200_000
    rows = CaseRows(labels)
    shares = np.zeros(labels)
    shares[7] = 1
    for number in range(3):
        rows.add((number, 7, 7, 1.0, 1.0), shares.tolist())
    assert rows.table()[:, -1].tolist() == [0, 0, 0]


@pytest.mark.parametrize(("count", "labels"), [(1, 3), (63, 3), (64, 3), (2500, 3), (300, 1000), (70, 2000)])
def test_many_scored_rows_are_those_of_one_by_one(count: int, labels: int) -> None:
    """With ties, with whole numbers among the probabilities, and behind rows that wait."""
    one, many = CaseRows(labels), CaseRows(labels)
    groups, expected = list(range(count)), [number % labels for number in range(count)]
    start = ((0.25, 0.5, 0.25), (0.5, 0.5, 0), (0, 0, 1), (0.1, 0.2, 0.7))
    answers = [(*start[number % 4], *(0,) * (labels - 3)) for number in range(count)]
    for rows in (one, many):
        rows.add((7, NONE, NONE, 0.0, 0.0), None)
    many.extend(groups, expected, answers)
    for group, right, values in zip(groups, expected, answers, strict=True):
        one.add((group, right, values.index(max(values)), max(values), values[right]), values)
    assert len(one) == len(many) == count + 1
    assert one.table().tolist() == many.table().tolist()
