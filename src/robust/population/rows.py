"""Rows of whatever kind as one table: columns by name, copies for whoever may damage them, never changed in place."""

from __future__ import annotations

import copy
import difflib
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol, TypeAlias

from robust.canon import JsonValue, describe, type_name
from robust.errors import DataError
from robust.population.cell_changes import MISSING, json_cell

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# A name; of an array without names a position; None where each row is one value.
Column: TypeAlias = str | int | None
_MAX_NAMED: Final = 12
_PLAIN: Final = frozenset((str, int, float, bool, type(None), bytes, complex))


class Table(Protocol):
    """Rows with columns; no method changes them."""

    @property
    def size(self) -> int:
        """How many rows there are."""
        ...

    @property
    def columns(self) -> tuple[Column, ...]:
        """The names of the columns."""
        ...

    def column(self, name: Column, /) -> NDArray[Any]:
        """The cells of a column; they are the table's own and not to be written to."""
        ...

    def with_column(self, name: Column, cells: NDArray[Any], /) -> Table:
        """The same rows with other cells in a column, of its type if that can hold them."""
        ...

    def taken(self, places: NDArray[np.int64]) -> Table:
        """Some of the rows, by position."""
        ...

    def native(self, start: int = 0, stop: int | None = None) -> Any:
        """A copy of the rows from ``start`` on, before ``stop``, as the caller gave them; it may be damaged."""
        ...

    def like(self, native: Any) -> Table:
        """What a transformation made of a copy of all rows, as a table.

        Raises:
            DataError: it is of another kind, or has other rows or columns.
        """
        ...


def known_column(table: Table, name: Any, path: str) -> Column:
    """A column that the table has; None names the only one.

    Raises:
        DataError: there is none of that name; tells which there are.
    """
    columns = table.columns
    for column in columns:
        if column is name or (type(column) is type(name) and column == name):
            return column
    if name is None and len(columns) == 1:
        return columns[0]
    shown = ", ".join(map(repr, columns[:_MAX_NAMED])) + (", …" if len(columns) > _MAX_NAMED else "")
    by_text = {str(column): column for column in columns}
    near = difflib.get_close_matches(str(name), by_text, 1)
    hint = f"did you mean {by_text[near[0]]!r}?" if near else f"there are {shown}" if columns else "there are none"
    message = "a column must be named" if name is None else f"there is no column {name!r}"
    raise DataError.of("no_column", message, path=path, hint=hint)


def row_of(table: Table, cells: Iterable[Any]) -> JsonValue:
    """One row, given its cells in order, as JSON shows it: text where a row is one text, else an object."""
    columns = table.columns
    if columns == (None,):
        (cell,) = cells
        return json_cell(cell)
    return {str(name): json_cell(cell) for name, cell in zip(columns, cells, strict=True) if cell is not MISSING}


class ArrayTable:
    """An array: of one dimension, of two, or of named fields."""

    def __init__(self, array: NDArray[Any]) -> None:
        names = array.dtype.names
        if array.ndim not in (1, 2) or (names and array.ndim != 1):
            message = f"an array of rows has one or two dimensions, not {array.ndim}"
            raise DataError.of("bad_rows", message, path="data", hint="a row may be one value, or a list of values")
        self._array = array
        self.size = len(array)
        self.columns: tuple[Column, ...] = names or ((None,) if array.ndim == 1 else tuple(range(array.shape[1])))

    def column(self, name: Column) -> NDArray[Any]:
        """See :class:`Table`."""
        if name is None:
            return self._array
        column: NDArray[Any] = self._array[name] if isinstance(name, str) else self._array[:, name]
        return column

    def with_column(self, name: Column, cells: NDArray[Any]) -> ArrayTable:
        """See :class:`Table`; an array that cannot hold the cells becomes one that can."""
        import numpy as np

        if name is None:
            return ArrayTable(cells)
        if isinstance(name, str):
            kinds = {each: self._array.dtype[str(each)] for each in self.columns}
            kinds[name] = _common(kinds[name], cells.dtype)
            named = self._array.astype(np.dtype([(str(each), kind) for each, kind in kinds.items()]))
            named[name] = cells
            return ArrayTable(named)
        array = self._array.astype(_common(self._array.dtype, cells.dtype), copy=True)
        array[:, name] = cells
        return ArrayTable(array)

    def taken(self, places: NDArray[np.int64]) -> ArrayTable:
        """See :class:`Table`."""
        return ArrayTable(self._array[places])

    def native(self, start: int = 0, stop: int | None = None) -> NDArray[Any]:
        """See :class:`Table`."""
        part = self._array[start:stop]
        return copy.deepcopy(part) if part.dtype.hasobject else part.copy()

    def like(self, native: Any) -> ArrayTable:
        """See :class:`Table`."""
        import numpy as np

        if not isinstance(native, np.ndarray):
            raise another_kind(native, "an array")
        table = ArrayTable(native)
        check_shape(self, table)
        return table


def _common(one: np.dtype[Any], other: np.dtype[Any]) -> np.dtype[Any]:
    """The type of cells that holds those of both, without turning numbers into text."""
    import numpy as np

    numbers = "iufcb"
    alike = one == other or (one.kind in numbers and other.kind in numbers) or one.kind == other.kind
    return np.promote_types(one, other) if alike else np.dtype(object)


class TextTable:
    """A list of texts."""

    columns: ClassVar[tuple[Column, ...]] = (None,)

    def __init__(self, texts: list[str]) -> None:
        self._texts = texts
        self.size = len(texts)

    def column(self, _name: Column) -> NDArray[Any]:
        """See :class:`Table`."""
        import numpy as np

        cells = np.empty(self.size, dtype=object)
        cells[:] = self._texts
        return cells

    def with_column(self, _name: Column, cells: NDArray[Any]) -> TextTable:
        """See :class:`Table`."""
        return TextTable(cells.tolist())

    def taken(self, places: NDArray[np.int64]) -> TextTable:
        """See :class:`Table`."""
        texts = self._texts
        return TextTable([texts[place] for place in places.tolist()])

    def native(self, start: int = 0, stop: int | None = None) -> list[str]:
        """See :class:`Table`."""
        return self._texts[start:stop]

    def like(self, native: Any) -> TextTable:
        """See :class:`Table`."""
        if not (isinstance(native, list) and all(isinstance(text, str) for text in native)):
            raise another_kind(native, "a list of texts")
        table = TextTable(native)
        check_shape(self, table)
        return table


class RecordTable:
    """A list of dictionaries; a key that a row does not have is a cell that is not there."""

    def __init__(self, rows: list[dict[Any, Any]], columns: tuple[Column, ...] | None = None) -> None:
        self._rows = rows
        self.size = len(rows)
        self.columns: tuple[Column, ...] = columns or tuple(dict.fromkeys(key for row in rows for key in row))
        odd = next((name for name in self.columns if not isinstance(name, str | int)), None)
        if odd is not None:
            raise DataError.of("bad_rows", f"a key of a record is text, not {describe(odd)}", path="data")
        self._plain: bool | None = None

    def column(self, name: Column) -> NDArray[Any]:
        """See :class:`Table`."""
        import numpy as np

        cells = np.empty(self.size, dtype=object)
        for place, row in enumerate(self._rows):
            cells[place] = row.get(name, MISSING)
        return cells

    def with_column(self, name: Column, cells: NDArray[Any]) -> RecordTable:
        """See :class:`Table`."""
        pairs = zip(self._rows, cells.tolist(), strict=True)
        rows = [row if cell is MISSING else {**row, name: cell} for row, cell in pairs]
        return RecordTable(rows, self.columns)

    def taken(self, places: NDArray[np.int64]) -> RecordTable:
        """See :class:`Table`."""
        rows = self._rows
        return RecordTable([rows[place] for place in places.tolist()], self.columns)

    def native(self, start: int = 0, stop: int | None = None) -> list[dict[Any, Any]]:
        """See :class:`Table`."""
        if self._plain is None:
            self._plain = all(type(cell) in _PLAIN for row in self._rows for cell in row.values())
        copied: Callable[[dict[Any, Any]], dict[Any, Any]] = dict if self._plain else copy.deepcopy
        return [copied(row) for row in self._rows[start:stop]]

    def like(self, native: Any) -> RecordTable:
        """See :class:`Table`."""
        if not (isinstance(native, list) and all(isinstance(row, dict) for row in native)):
            raise another_kind(native, "a list of dictionaries")
        table = RecordTable(native)
        check_shape(self, table)
        return RecordTable(native, self.columns)


def another_kind(native: Any, due: str) -> DataError:
    """A transformation gave something that is not what it was given."""
    if native is None:
        hint = "return the changed rows"
        return DataError.of("bad_transformation", "the transformation returned nothing", hint=hint)
    message = f"the transformation was given {due} and returned {type_name(native)}"
    return DataError.of("bad_transformation", message, hint="return rows of the same kind, one for each")


def check_shape(before: Table, after: Table) -> None:
    """See that a transformation kept rows and columns.

    Raises:
        DataError: it did not.
    """
    if after.size != before.size:
        message = f"the transformation was given {before.size} rows and returned {after.size}"
        raise DataError.of("bad_transformation", message, hint="to look at some rows only, use slicing")
    if set(after.columns) != set(before.columns):
        odd = next(
            name for name in (*before.columns, *after.columns) if (name in before.columns) != (name in after.columns)
        )
        said = "dropped" if odd in before.columns else "added"
        raise DataError.of(
            "bad_transformation", f"the transformation {said} the column {odd!r}", hint="keep the columns"
        )
