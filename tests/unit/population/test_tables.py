"""Rows of every kind as tables: columns, changed cells, copies, and what is refused."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from scipy import sparse  # type: ignore[import-untyped]

from robust import DataError, invariance
from robust.population import column_edits
from robust.population.cell_changes import changed_cells, is_missing, json_cell, same_cell
from robust.population.column_edits import ColumnEdit
from robust.population.rows import known_column, row_of
from robust.population.tables import table_of

NUMBERS, TEXTS = [1.5, 2.5, 3.5], ["a", "b", "ü"]
NAMED: dict[str, Any] = {
    "records": [{"n": number, "t": text} for number, text in zip(NUMBERS, TEXTS, strict=True)],
    "fields": np.array(list(zip(NUMBERS, TEXTS, strict=True)), dtype=[("n", "f8"), ("t", "U3")]),
    "pandas": pd.DataFrame({"n": NUMBERS, "t": TEXTS}, index=[7, 7, 7]),
    "polars": pl.DataFrame({"n": NUMBERS, "t": TEXTS}),
    "arrow": pa.table({"n": NUMBERS, "t": TEXTS}),
}


def constant(rows: Any) -> list[float]:
    """A model that cares for nothing."""
    return [1.0] * len(rows)


@pytest.mark.parametrize("kind", NAMED)
def test_named_columns_are_read_edited_and_taken(kind: str) -> None:
    """Of every kind of rows alike, and handed on as what they were."""
    given = NAMED[kind]
    table = table_of(given)
    assert (table.size, table.columns) == (3, ("n", "t"))
    assert table.column("n").tolist() == NUMBERS
    assert table.column("t").tolist() == TEXTS
    longer = np.array(["x", "yyyyyyyy", "z"], dtype=object)
    changed = table.with_column("t", longer).taken(np.array([0, 1]))
    assert changed.column("t").tolist() == ["x", "yyyyyyyy"]
    assert changed.column("n").tolist() == NUMBERS[:2]
    assert table.column("t").tolist() == TEXTS
    native = table.native(1, 3)
    assert type(native) is type(given)
    assert len(native) == 2
    assert row_of(table, [table.column(name)[2] for name in table.columns]) == {"n": 3.5, "t": "ü"}
    assert table.like(table.native()).column("n").tolist() == NUMBERS


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
@pytest.mark.parametrize(
    "edit",
    [column_edits.case("t"), column_edits.shifted("w", 1), column_edits.scaled("n", 2)],
    ids=lambda edit: edit.name,
)
def test_a_frame_keeps_the_types_of_its_columns(kind: str, edit: ColumnEdit) -> None:
    """Also those with gaps, which stay."""
    frames: dict[str, Any] = {
        "pandas": pd.DataFrame({"n": [1.0, None], "t": ["a", None], "w": pd.array([1, None], dtype="Int64")}),
        "polars": pl.DataFrame({"n": [1.0, None], "t": ["a", None], "w": [1, None]}),
        "arrow": pa.table({"n": [1.0, None], "t": ["a", None], "w": [1, None]}),
    }
    given, seen = frames[kind], []

    def model(rows: Any) -> list[float]:
        seen.append(rows)
        return [1.0] * len(rows)

    assert invariance(model, given, edit).n_changed == 1
    before, after = seen
    types = [list(frame.schema) if kind == "arrow" else list(frame.dtypes) for frame in (before, after)]
    assert types[0] == types[1]


@pytest.mark.parametrize(
    "data", [np.array([1.0, 2.0]), np.array(["a", "b"]), ["a", "b"], pl.Series(["a", "b"]), pd.Series([1, 2])]
)
def test_rows_of_one_value_have_one_column_without_a_name(data: Any) -> None:
    """Which need not be named."""
    table = table_of(data)
    assert (table.size, table.columns) == (2, (None,))
    assert known_column(table, None, "column") is None
    assert len(table.native(1)) == 1
    cells = np.array(["longer", "text"], dtype=object) if isinstance(table.column(None)[0], str) else np.array([5, 6])
    assert table.with_column(None, cells).column(None).tolist() == cells.tolist()
    assert table.taken(np.array([1])).column(None).tolist() == table.column(None).tolist()[1:]


def test_an_array_of_two_dimensions_has_columns_by_position() -> None:
    """And becomes one of a type that can hold an edited column."""
    table = table_of(np.array([[1, 2], [3, 4]]))
    assert table.columns == (0, 1)
    assert table.with_column(1, np.array([2.5, 4.5])).native().tolist() == [[1, 2.5], [3, 4.5]]
    mixed = table.with_column(0, np.array(["a", "b"], dtype=object)).native()
    assert mixed.tolist() == [["a", 2], ["b", 4]]


def test_cells_with_parts_are_compared_as_wholes() -> None:
    """Lists and structures of a frame."""
    frame = pl.DataFrame({"l": [[1], [2], None], "s": [{"a": 1}, {"a": 2}, {"a": 3}]})
    assert invariance(constant, frame, lambda rows: rows).verdict == "vacuous"
    result = invariance(constant, frame, lambda rows: rows.with_columns(l=pl.Series([[1], [3], None])))
    assert [record.get("cells") for record in result.records()] == [None, {"l": [[2], [3]]}]


def test_a_frame_may_have_columns_named_by_numbers() -> None:
    """Which are not the texts of them; the error says so."""
    frame = pd.DataFrame(np.eye(3))
    assert invariance(constant, frame, column_edits.shifted(0, 1)).n_changed == 3
    with pytest.raises(DataError, match=r"no column '0'; did you mean 0\?"):
        invariance(constant, frame, column_edits.shifted("0", 1))


def test_records_may_lack_keys() -> None:
    """A cell that is not there is neither edited nor made up."""
    rows: list[dict[str, Any]] = [{"a": "x"}, {"b": 1}, {}]
    table = table_of(rows)
    assert table.columns == ("a", "b")
    result = invariance(constant, rows, column_edits.case("a"))
    assert (result.n, result.n_changed) == (3, 1)
    assert [record.get("cells") for record in result.records()] == [None, {"a": ["x", "X"]}]


@pytest.mark.parametrize(
    "data",
    [
        {"n": [1, 2]},
        "text",
        5,
        None,
        [1, 2],
        [[1, 2], [3, 4]],
        [{"a": 1}, "b"],
        [{(1, 2): 3}],
        np.zeros((2, 2, 2)),
        sparse.csr_matrix(np.eye(3)),
        pl.DataFrame({"a": [1]}).lazy(),
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        range(5),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_holds_no_rows_is_refused(data: Any) -> None:
    """With what may be given instead."""
    with pytest.raises(DataError) as caught:
        invariance(constant, data, lambda rows: rows)
    assert caught.value.code == "bad_rows"


@pytest.mark.parametrize("kind", NAMED)
@pytest.mark.parametrize("column", ["N", None, 0, "nn"])
def test_a_column_that_is_not_there_is_an_error_that_names_those_that_are(kind: str, column: Any) -> None:
    """Before anything else happens."""
    with pytest.raises(DataError) as caught:
        invariance(constant, NAMED[kind], column_edits.case(column))
    assert caught.value.code == "no_column"


@pytest.mark.parametrize(
    ("transformation", "words"),
    [
        (lambda rows: None, "returned nothing"),
        (lambda rows: rows[:-1], "given 3 rows and returned 2"),
        (lambda rows: rows.assign(more=1), "added the column 'more'"),
        (lambda rows: rows.drop(columns="t"), "dropped the column 't'"),
        (lambda rows: rows.to_dict("records"), "given a data frame and returned"),
        (lambda rows: rows.iloc[::-1], "in another order"),
    ],
)
def test_a_transformation_must_keep_rows_and_columns(transformation: Any, words: str) -> None:
    """One row for each, in their order."""
    frame = NAMED["pandas"].reset_index(drop=True)
    with pytest.raises(DataError, match=words):
        invariance(constant, frame, transformation)


def test_a_transformation_of_another_kind_of_rows_must_return_that_kind() -> None:
    """Arrays, texts, records and series."""
    for data in (np.eye(3), ["a"], [{"a": 1}], pl.Series([1])):
        with pytest.raises(DataError, match="and returned"):
            invariance(constant, data, lambda rows: (1, 2))


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        (np.array([1.0, np.nan, 2]), np.array([1.0, np.nan, 3]), [False, False, True]),
        (np.array([1, 2]), np.array([1.0, 2.5]), [False, True]),
        (np.array([1.0, 2.0]), np.array([1, None], dtype=object), [False, True]),
        (np.array(["a", "b"]), np.array(["a", "c"]), [False, True]),
        (np.array([True, False]), np.array([1, 0], dtype=object), [True, True]),
        (np.array([None, pd.NA, pd.NaT, np.nan], dtype=object), np.array([np.nan] * 4, dtype=object), [False] * 4),
        (np.array(["NaT", "2020-01-01"], "M8[D]"), np.array(["NaT", "2020-01-02"], "M8[D]"), [False, True]),
    ],
)
def test_changed_cells_are_those_whose_value_is_another(before: Any, after: Any, changed: list[bool]) -> None:
    """Missing ones are alike; a boolean is no number."""
    assert changed_cells(before, after).tolist() == changed
    assert not changed_cells(before, before).any()


def test_cells_that_hold_arrays_lists_or_strangers_are_compared() -> None:
    """What cannot be compared differs."""

    class Stranger:
        def __eq__(self, other: object) -> bool:
            raise RuntimeError

        def __ne__(self, other: object) -> bool:
            raise RuntimeError

        __hash__ = None  # type: ignore[assignment]

    assert same_cell(np.array([1, 2]), np.array([1, 2]))
    assert not same_cell(np.array([1, 2]), np.array([1, 3]))
    assert not same_cell(np.array([1, 2]), np.array([[1, 2], [1, 2]]))
    assert same_cell([1, [2]], [1, [2]])
    assert not same_cell(Stranger(), Stranger())
    assert not is_missing(Stranger())


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        (1.0, 1),
        (np.float64(1.5), 1.5),
        (np.int8(3), 3),
        (np.bool_(True), True),
        (float("nan"), None),
        (float("inf"), "inf"),
        (pd.NA, None),
        (2**60, str(2**60)),
        (Decimal("1.50"), "1.50"),
        ("\ud800", "\\ud800"),
        (np.str_("a"), "a"),
        ([1, {"a": (np.float32(0.5),)}], [1, {"a": [0.5]}]),
        (np.datetime64("2020-01-01"), "2020-01-01"),
        ("x" * 10_000, "x" * 10_000),
    ],
)
def test_cells_are_shown_as_json(cell: Any, shown: Any) -> None:
    """Plain where they are, else as text."""
    assert json_cell(cell) == shown
    assert type(json_cell(cell)) is type(shown)


def test_only_frames_take_narwhals() -> None:
    """Arrays, records and texts do without it, and importing this package never loads it."""
    import subprocess
    import sys

    script = (
        "import sys; sys.modules['narwhals'] = None\n"
        "import numpy as np\n"
        "from robust import column_edits as e, invariance\n"
        "assert invariance(lambda r: [1.0] * len(r), np.eye(3), e.shifted(0, 1)).passed\n"
        "assert invariance(lambda r: [1.0] * len(r), ['a', 'b'], e.case()).passed\n"
        "assert invariance(lambda r: [1.0] * len(r), [{'a': 1}] * 2, e.shifted('a', 1)).passed\n"
        "assert not {'pandas', 'polars', 'pyarrow', 'scipy.stats'} & set(sys.modules)\n"
        "import pandas\n"
        "try: invariance(len, pandas.DataFrame({'a': [1]}), e.shifted('a', 1))\n"
        "except Exception as error: print(error.code, 'robust-records[frames]' in str(error))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("no_frames True\n", 0), done.stderr
