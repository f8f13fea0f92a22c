"""Which rows are looked at, what group each belongs to, and by what id it is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from robust.canon import MAX_SAFE_INTEGER, describe
from robust.errors import DataError, UsageError
from robust.population.cell_changes import is_missing
from robust.population.edit_words import id_words
from robust.population.rows import Table, known_column
from robust.records.failure import describe_exception

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class SeamFailure(Exception):
    """A function of the caller raised, which is evidence and no fault of the test.

    Attributes:
        where: which one.
        what: its error in words.
    """

    def __init__(self, where: str, error: Exception) -> None:
        super().__init__(where)
        self.where = where
        self.what = describe_exception(error)


def sliced_places(table: Table, slicing: Callable[[Any], Any] | Any | None) -> NDArray[np.int64] | None:
    """The positions of the rows of a slice; None for all of them.

    Args:
        table: all rows.
        slicing: a mask, a function of a copy of the rows that gives one, or None.

    Raises:
        SeamFailure: the function raised.
        DataError: it is no mask: a boolean for each row.
    """
    import numpy as np

    if slicing is None:
        return None
    mask = slicing
    if callable(slicing):
        try:
            mask = slicing(table.native())
        except Exception as error:
            raise SeamFailure("slicing", error) from error
    hint = "give one boolean for each row, such as frame['age'] > 40"
    values = _values(mask, "slicing", hint)
    flags = values if values.dtype.kind == "b" else None
    if flags is None and values.dtype.kind == "O":
        given = values.tolist()
        if all(isinstance(flag, bool | np.bool_) for flag in given):
            flags = np.array(given, dtype=bool)
        elif any(is_missing(flag) for flag in given):
            raise DataError.of("bad_slice", "a mask must say of every row whether it is in", path="slicing", hint=hint)
    if flags is None or flags.ndim != 1:
        raise DataError.of("bad_slice", f"{describe(mask)} is no mask of rows", path="slicing", hint=hint)
    if len(flags) != table.size:
        message = f"the mask has {len(flags)} values for {table.size} rows"
        raise DataError.of("bad_slice", message, path="slicing", hint=hint)
    return np.flatnonzero(flags)


def row_ids(table: Table, ids: Any) -> NDArray[np.uint64]:
    """A number for each row, on which the random part of an edit depends: from its id, by default its position.

    Args:
        table: all rows.
        ids: a column's name, or an id for each row: whole numbers or texts, none twice.

    Raises:
        DataError: they are not.
    """
    import numpy as np

    if ids is None:
        return np.arange(table.size, dtype=np.uint64)
    hint = "give a whole number or a text for each row, none twice"
    values = _of_rows(table, ids, "ids", hint)
    if values.dtype.kind not in "iu":
        given = values.tolist()
        odd = next((place for place, value in enumerate(given) if not _is_id(value)), None)
        if odd is not None:
            message = f"row {odd} has the id {describe(given[odd])}"
            raise DataError.of("bad_id", message, path="ids", hint=hint)
        whole = all(isinstance(value, int) for value in given)
        values = np.array(given, dtype=np.int64) if whole and given else values
    unique, first = np.unique(values.astype(str) if values.dtype.kind == "O" else values, return_index=True)
    if len(unique) < len(values):
        second = int(np.setdiff1d(np.arange(len(values)), first)[0])
        earlier = int(np.flatnonzero(values == values[second])[0])
        message = f"rows {earlier} and {second} have one id, {values.tolist()[second]!r}"
        raise DataError.of("bad_id", message, path="ids", hint=hint)
    if values.dtype.kind == "O":
        values = np.array([str(value) for value in values.tolist()], dtype=object)
    return id_words(values)


def row_groups(table: Table, groups: Any) -> list[str | int] | None:
    """The name of the group of each row; None without groups.

    Args:
        table: all rows.
        groups: a column's name, or a name for each row: texts, whole numbers or booleans.

    Raises:
        DataError: they are not.
    """
    if groups is None:
        return None
    hint = "give a text or a whole number for each row"
    values = _of_rows(table, groups, "groups", hint).tolist()
    names: list[str | int] = []
    for place, value in enumerate(values):
        if isinstance(value, bool):
            names.append(str(value))
        elif _is_id(value) and (isinstance(value, str) or abs(value) <= MAX_SAFE_INTEGER):
            names.append(value)
        elif isinstance(value, float) and value.is_integer() and abs(value) <= MAX_SAFE_INTEGER:
            names.append(int(value))
        else:
            shown = repr(value) if isinstance(value, int | float) else describe(value)
            raise DataError.of("bad_group", f"the group of row {place} is {shown}", path="groups", hint=hint)
    return names


def _of_rows(table: Table, given: Any, path: str, hint: str) -> NDArray[Any]:
    """The cells of a column that is named, or the values that are given, one for each row."""
    if isinstance(given, str) or type(given) is int:
        return table.column(known_column(table, given, path))
    values = _values(given, path, hint)
    if values.ndim != 1 or len(values) != table.size:
        message = f"there are {len(values)} values for {table.size} rows"
        raise DataError.of("bad_length", message, path=path, hint=hint)
    return values


def _values(given: Any, path: str, hint: str) -> NDArray[Any]:
    """Anything with a value for each row as an array, without turning one kind into another."""
    import numpy as np

    if isinstance(given, np.ndarray):
        return given
    if isinstance(given, str | bytes | dict) or not hasattr(given, "__len__"):
        raise UsageError.of("bad_values", f"{describe(given)} is no list of values", path=path, hint=hint)
    convert = getattr(given, "to_numpy", None)
    if callable(convert):
        return np.asarray(convert())
    values = np.empty(len(given), dtype=object)
    try:
        values[:] = list(given)
    except ValueError:
        raise UsageError.of("bad_values", f"{describe(given)} is no list of values", path=path, hint=hint) from None
    kinds = set(map(type, values.tolist()))
    return np.array(values.tolist()) if kinds in ({int}, {bool}) else values


def _is_id(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))
