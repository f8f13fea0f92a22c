"""Cells of records that no transformation makes, and outputs with which no test is made: both are refused."""

from __future__ import annotations

import copy
import json
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pytest

from robust import DataError, IntegrityError, column_edits, increasing, invariance
from robust.population.cell_changes import json_cell, shown_change
from robust.population.derived import derive_population

ROWS = [{"x": place + 0.5, "y": 1.0, "sex": "fm"[place % 2]} for place in range(6)]


def same(rows: Any) -> list[float]:
    """A model to which nothing matters."""
    return [0.5] * len(rows)


def derived(result: Any, **edits: Any) -> Any:
    """What follows of a result as it is read again, with another first row, plan or data record."""
    plan, records = json.loads(json.dumps([result.plan(), list(result.records())]))
    plan = copy.deepcopy(plan)
    records[1].update(edits.pop("row", {}))
    records[0].update(edits.pop("data", {}))
    for name in ("settings", "transformation"):
        plan[name].update(edits.pop(name, {}))
    plan.update(edits)
    return derive_population(plan, enumerate(records, 1))


EDITS: dict[str, Any] = {
    "scaled": column_edits.scaled("x", 3),
    "shifted": column_edits.shifted("x", 2),
    "replaced": column_edits.replaced("sex", {"f": "m", "m": "f"}),
    "noise": column_edits.noise("x"),
    "case": column_edits.case("sex"),
    "function": lambda rows: [{**row, "x": row["x"] + 1} for row in rows],
}
ALWAYS: list[Any] = [{}, [1, 2], {"x": [1]}, {"x": [5, 5]}, {"sex": ["f", "f"]}, {"x": [None, None]}]
OF_EDITS: list[Any] = [{"y": [1, 3]}, {"x": [0.5, 1.5], "y": [1, 3]}, {"zz": [0.5, 1.5]}]
SWAPS: list[Any] = [{"sex": ["f", "d"]}, {"sex": ["d", "m"]}, {"sex": [1, "m"]}, {"sex": ["f", None]}]
FORGED = [
    *((name, cells) for name in EDITS for cells in ALWAYS),
    *((name, cells) for name in EDITS if name != "function" for cells in OF_EDITS),
    *(("scaled", {"x": pair}) for pair in ([0.5, 1.6], [0.5, "1.5x"], ["a", "b"], [True, 3], [None, 3], [1, None])),
    *(("shifted", {"x": pair}) for pair in ([0.5, 2.6], [0.5, 3], [2, 5])),
    *(("replaced", cells) for cells in SWAPS),
]


@pytest.mark.parametrize(("name", "cells"), FORGED)
def test_cells_that_no_such_edit_makes_are_refused(name: str, cells: Any) -> None:
    """Those that did not change, those of other columns, and those that come out otherwise; with their place."""
    result = invariance(same, ROWS, EDITS[name])
    assert derived(result).found == result.found()
    with pytest.raises(IntegrityError) as caught:
        derived(result, row={"cells": cells})
    assert (caught.value.problems[0].path, caught.value.problems[0].line) == ("$.cells", 2)


@pytest.mark.parametrize(
    ("path", "transformation"),
    [
        ("$.transformation.name", {"name": "doubled"}),
        ("$.transformation.settings", {"name": "shifted"}),
        ("$.transformation.settings", {"settings": {"factor": 3}}),
        ("$.transformation.settings.column", {"settings": {"column": True, "factor": 3}}),
        ("$.transformation.settings.factor", {"settings": {"column": "x", "factor": "3"}}),
        ("$.transformation.settings.mapping", {"name": "replaced", "settings": {"column": "x", "mapping": [[1]]}}),
        ("$.cells", {"settings": {"column": "x", "factor": 4}}),
        ("$.cells", {"settings": {"column": "y", "factor": 3}}),
    ],
)
def test_a_transformation_that_is_none_or_another_is_refused(path: str, transformation: Any) -> None:
    """By its name, its settings, or the cells that it makes."""
    with pytest.raises(IntegrityError) as caught:
        derived(invariance(same, ROWS, EDITS["scaled"]), transformation=transformation)
    assert caught.value.problems[0].path == path


WIDE = np.arange(1, 7) / np.longdouble(7)
COLUMNS: list[Any] = [
    np.arange(1, 7) / 7,
    (np.arange(1, 7) / 7).astype(np.float32),
    (np.arange(1, 7) / 7).astype(np.float16),
    np.arange(1, 7),
    np.arange(1, 7).astype(np.int8),
    np.arange(6) * 10**15,
    np.array([np.inf, -np.inf, np.nan, 0.0, 1.0, 1e300]),
    WIDE,
    np.ma.array(np.arange(1.0, 7.0), mask=[True, False, False, False, False, True]),
]


@pytest.mark.parametrize("cells", COLUMNS)
@pytest.mark.parametrize(
    "edit",
    [
        column_edits.scaled(None, 1.37),
        column_edits.scaled(None, -1),
        column_edits.shifted(None, 2),
        column_edits.shifted(None, -0.37),
        column_edits.replaced(None, {1: 0.1, 2: 5, 3: 7}),
        column_edits.noise(None),
    ],
)
def test_what_an_edit_did_is_derived_as_it_was_done(cells: Any, edit: Any) -> None:
    """In columns of every type, however JSON shows their cells."""
    tables = [cells, pd.Series(cells.data) if isinstance(cells, np.ma.MaskedArray) else pd.Series(cells)]
    if cells.dtype not in (np.longdouble, np.float16):
        tables += [pl.Series(np.ma.getdata(cells)), [{"a": cell} for cell in np.ma.getdata(cells)]]
    for table in tables:
        result = invariance(same, table, edit)
        if result.n_changed:
            assert derived(result).found == result.found()


def test_replaced_values_of_all_kinds_are_derived() -> None:
    """Also such as JSON shows as texts."""
    time = pd.Timestamp
    for cell, other in ((1, Decimal("2.5")), (Decimal(1), 2), (2**60, str(2**60)), ((1, 2), [3]), (None, 2), (1, None)):
        result = invariance(same, [{"x": cell}, {"x": "kept"}], column_edits.replaced("x", {cell: other}))
        assert result.n_changed == 1
        assert derived(result).found == result.found()
    result = invariance(same, [{"x": Decimal(1)}], column_edits.replaced("x", {1: 2}))
    assert derived(result).found == result.found()
    days = pd.Series(pd.to_datetime(["2020-01-01", "2020-02-01"]))
    result = invariance(same, days, column_edits.replaced(None, {time("2020-01-01"): time("2021-01-01")}))
    assert derived(result).found == result.found()


def test_a_numpy_number_that_did_not_change_is_no_change() -> None:
    """A record may hold it, and the edit gives a plain one."""
    rows = [{"x": np.int64(1)}, {"x": np.float64(2.0)}, {"x": np.int64(4)}]
    assert invariance(same, rows, column_edits.scaled("x", 1.2)).n_changed == 2
    assert invariance(same, rows, column_edits.scaled("x", 1)).reason == "nothing_changed"


def test_a_value_that_is_no_category_is_not_lost() -> None:
    """The column becomes one that holds it."""
    series = pd.Series(pd.Categorical(["a", "b"]))
    result = increasing(
        lambda rows: [float(cell == "c") for cell in rows], series, column_edits.replaced(None, {"a": "c"})
    )
    assert next(record["after"] for record in result.records() if record["kind"] == "row") == 1
    assert derived(result).found == result.found()


def test_a_fraction_in_the_place_of_a_whole_number_is_not_cut_off() -> None:
    """The model sees what the record says."""
    frame = pl.DataFrame({"x": [1, 2]})
    result = increasing(
        lambda rows: rows["x"].to_list(), frame, column_edits.replaced("x", {1: 1.5}), task="regression"
    )
    assert [(record["cells"], record["after"]) for record in result.records() if record["kind"] == "row"] == [
        ({"x": [1, 1.5]}, 1.5)
    ]


def test_values_of_several_types_are_refused_where_a_column_has_one() -> None:
    """As an error in the caller's transformation."""
    with pytest.raises(DataError, match="no column of this frame can hold"):
        invariance(same, pl.DataFrame({"x": [1, 2]}), column_edits.replaced("x", {1: 0.5, 2: "two"}))


def test_cells_that_json_shows_alike_are_told_apart() -> None:
    """By the type of the second."""
    assert shown_change(2**60, str(2**60)) == [str(2**60), f"str {2**60}"]
    assert shown_change(1, 2) == [1, 2]


def test_numbers_of_more_than_64_bits_are_shown(tmp_path: Any) -> None:
    """As numbers where they are the same, else in digits."""
    assert json_cell(np.longdouble(3)) == 3
    assert json_cell(np.longdouble("nan")) is None
    assert json_cell(np.longdouble("inf")) == "inf"
    assert json_cell(np.clongdouble(1 + 2j)) == "(1+2j)"
    assert json_cell(np.ma.masked) is None
    result = invariance(same, WIDE, column_edits.scaled(None, 3))
    assert result.save(tmp_path / "run").status == "pass"


@pytest.mark.parametrize(
    "edits",
    [
        {"data": {"outputs": "labels"}, "test": "increasing", "method": "t_test"},
        {"data": {"outputs": "labels"}, "settings": {"label": "yes"}},
        {"settings": {"label": "yes"}, "row": {"before": 7}},
        {"settings": {"label": 0.5}, "test": "increasing", "method": "mcnemar"},
    ],
)
def test_outputs_with_which_no_such_test_is_made_are_refused(edits: Any) -> None:
    """The same as when the test is run: means of labels, labels of numbers, the class of an amount."""
    result = invariance(same, ROWS, EDITS["scaled"])
    with pytest.raises(IntegrityError) as caught:
        derived(result, **edits)
    assert (caught.value.problems[0].path, caught.value.problems[0].line) == ("$.outputs", 1)
    # The probability of a class may well be named.
    assert derived(result, settings={"label": "yes"}).status == "pass"
