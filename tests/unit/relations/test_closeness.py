"""When two outputs are the same: classes of the caller's own, tables, sets and objects, also with a tolerance."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pytest

from robust import DataError, unchanged
from robust.relations.closeness import Tolerance, same

DEFAULT = Tolerance()
COARSE = Tolerance(0.1)
Made = Callable[[dict[str, list[Any]]], Any]
FRAMES: dict[str, Made] = {
    "pandas frame": pd.DataFrame,
    "polars frame": pl.DataFrame,
    "pyarrow table": pa.table,
    "pyarrow batch": pa.RecordBatch.from_pydict,
}
COLUMNS: dict[str, Callable[[list[Any]], Any]] = {
    "pandas series": pd.Series,
    "pandas index": pd.Index,
    "pandas array": pd.array,
    "polars series": pl.Series,
    "pyarrow array": pa.array,
    "pyarrow chunks": lambda values: pa.chunked_array([values]),
    "pyarrow scalar": lambda values: pa.scalar(values[-1]),
    "objects": lambda values: SimpleNamespace(a=1, values=values),
    "deque": deque,
    "set": set,
}


class Said:
    """A class with its own ``==``, and a method that other libraries would call."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Said) and self.value == other.value

    __hash__ = None  # type: ignore[assignment]

    def equals(self, other: object) -> bool:
        """Not what says when two of it are equal."""
        return True


class OwnFrame(pd.DataFrame):  # type: ignore[misc]
    """A frame of the caller's own, that calls everything equal."""

    def equals(self, other: object) -> bool:
        """Whatever it is."""
        return True


def test_a_class_is_compared_by_its_own_operator() -> None:
    """A method ``equals`` says nothing, also where the class is derived from a frame."""
    assert not same(Said(1), Said(2), DEFAULT)
    assert same(Said(1), Said(1), DEFAULT)
    assert not same(OwnFrame({"a": [1]}), OwnFrame({"a": [2]}), DEFAULT)
    assert same(OwnFrame({"a": [1]}), OwnFrame({"a": [1]}), DEFAULT)


@pytest.mark.parametrize("name", FRAMES)
def test_frames_are_compared_cell_by_cell_within_the_tolerance(name: str) -> None:
    """Texts and missing cells exactly; by default numbers up to rounding."""
    made = FRAMES[name]
    one: dict[str, list[Any]] = {"n": [0.1 + 0.2, 100.0, float("nan")], "t": ["a", None, "c"], "i": [1, 2, 3]}
    assert same(made(one), made({**one, "n": [0.3, 100.0, float("nan")]}), DEFAULT)
    assert not same(made(one), made({**one, "n": [0.3, 105.0, float("nan")]}), DEFAULT)
    assert same(made(one), made({**one, "n": [0.3, 105.0, float("nan")]}), COARSE)
    assert not same(made(one), made({**one, "n": [0.3, 120.0, float("nan")]}), COARSE)
    assert not same(made(one), made({**one, "n": [0.3, 100.0, 1.0]}), COARSE)
    assert not same(made(one), made({**one, "t": ["a", "b", "c"]}), COARSE)
    assert not same(made(one), made({**one, "i": [1.0, 2.0, 3.0]}), COARSE)
    assert not same(made(one), made({"x" if key == "n" else key: value for key, value in one.items()}), COARSE)
    assert not same(made(one), made({key: one[key] for key in ("t", "n", "i")}), COARSE)
    assert not same(made(one), made({key: value[:2] for key, value in one.items()}), COARSE)
    assert not same(made(one), None, DEFAULT)


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_objects_and_sets_are_compared_within_the_tolerance(name: str) -> None:
    """Also by an assertion that gives one."""
    made = COLUMNS[name]
    assert same(made([1.5, 0.1 + 0.2]), made([1.5, 0.3]), DEFAULT)
    assert not same(made([1.5, 100.0]), made([1.5, 105.0]), DEFAULT)
    assert unchanged(rel_tol=0.1).agree(made([1.5, 100.0]), made([1.5, 105.0]))
    assert unchanged(abs_tol=5).agree(made([1.5, 100.0]), made([1.5, 105.0]))
    assert not unchanged(rel_tol=0.01).agree(made([1.5, 100.0]), made([1.5, 105.0]))


@pytest.mark.parametrize("made", [pd.Series, lambda values, name: pd.Index(values, name=name)])
def test_names_of_pandas_columns_count(made: Any) -> None:
    """Both libraries' own methods ignore them."""
    assert not same(made([1, 2], name="a"), made([1, 2], name="b"), DEFAULT)
    assert same(made([1, 2], name="a"), made([1, 2], name="a"), DEFAULT)


def test_names_of_polars_columns_and_of_labels_count() -> None:
    """Also of the index and of the columns of a frame; labels are exact."""
    assert not same(pl.Series("a", [1]), pl.Series("b", [1]), DEFAULT)
    frame = pd.DataFrame({"a": [1, 2]})
    assert not same(frame, frame.rename_axis("rows"), DEFAULT)
    assert not same(frame, frame.rename_axis("columns", axis=1), DEFAULT)
    assert not same(frame, frame.set_axis([1, 2]), Tolerance(None, 5))
    assert same(pd.concat([frame, frame], axis=1), pd.concat([frame, frame], axis=1), DEFAULT)


def test_what_is_missing_in_pandas_is_the_same_as_itself_alone() -> None:
    """It equals nothing by ``==``."""
    assert same(pd.NaT, pd.NaT, DEFAULT)
    assert same([pd.NA], [pd.NA], DEFAULT)
    assert not same(pd.NA, 1, DEFAULT)
    assert not same("a", pd.NA, DEFAULT)
    nullable = pd.Series([1, None], dtype="Int64")
    assert same(nullable, nullable.copy(), DEFAULT)
    assert not same(nullable, nullable.fillna(0), DEFAULT)
    times = pd.Series(pd.to_datetime(["2031-01-01", None]))
    assert same(times, times.copy(), DEFAULT)
    assert not same(times, times.fillna(pd.Timestamp("2031-01-01")), DEFAULT)


def test_members_of_sets_that_no_tolerance_can_be_applied_to_are_refused() -> None:
    """Where one was given; without one, and where the sets are equal, nothing is needed."""
    with pytest.raises(DataError, match="can only be compared exactly"):
        same({(1.0, 2)}, {(1.05, 2)}, COARSE)
    assert not same({(1.0, 2)}, {(1.05, 2)}, DEFAULT)
    assert same({(1.0, 2)}, {(1.0, 2)}, COARSE)
    assert not same({"a"}, {"b"}, COARSE)
    assert not same({1.0}, {1.0, 1.01}, COARSE)
    assert same({1.0, Decimal(5), "a"}, {1.01, Decimal(5), "a"}, COARSE)
    assert not same({1}, {1, 2}, DEFAULT)
    assert not same({True}, {1}, COARSE)
