"""The rows of a table that a transformation changes, before and after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from robust.canon import JsonObject, describe, type_name
from robust.errors import RobustError, UsageError
from robust.population.cell_changes import changed_cells, shown_change
from robust.population.column_edits import ColumnEdit
from robust.population.row_choices import SeamFailure
from robust.population.rows import Column, Table, known_column

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NOT_STATED = "not stated"


@dataclass(frozen=True, slots=True)
class ChangedRows:
    """Rows that were changed.

    Attributes:
        places: their positions in the data, ascending.
        before: as they were.
        after: as they are.
        columns: the columns in which any of them was changed.
    """

    places: NDArray[np.int64]
    before: Table
    after: Table
    columns: tuple[Column, ...]

    def only(self, kept: NDArray[np.bool_]) -> ChangedRows:
        """Some of them."""
        import numpy as np

        if kept.all():
            return self
        some = np.flatnonzero(kept)
        return replace(self, places=self.places[some], before=self.before.taken(some), after=self.after.taken(some))

    def cells(self) -> Callable[[int], JsonObject]:
        """Of one of them, by its position here, the cells that were changed: from and to, by column."""
        pairs = [(column, self.before.column(column), self.after.column(column)) for column in self.columns]
        changed = [(column, before, after, changed_cells(before, after)) for column, before, after in pairs]

        def of(index: int) -> JsonObject:
            return {
                "value" if column is None else str(column): shown_change(before[index], after[index])
                for column, before, after, differs in changed
                if differs[index]
            }

        return of


def changed_rows(
    table: Table, places: NDArray[np.int64] | None, transformation: Any, *, ids: NDArray[np.uint64], seed: int
) -> ChangedRows:
    """Transform a slice and find the rows that are not as they were.

    Args:
        table: all rows.
        places: the positions of the slice, ascending; None for all rows.
        transformation: a column edit, or a function of a copy of the rows that gives them changed.
        ids: of all rows.
        seed: of a column edit.

    Raises:
        SeamFailure: the function raised.
        DataError: there is no such column, a cell cannot be edited, or the function gave other rows.
    """
    import numpy as np

    where = np.arange(table.size) if places is None else places
    rows = table if places is None else table.taken(places)
    if isinstance(transformation, ColumnEdit):
        return _edited(table, rows, where, transformation, ids, seed)
    try:
        native = transformation(rows.native())
    except RobustError:
        raise
    except Exception as error:
        raise SeamFailure("transformation", error) from error
    variant = rows.like(native)
    by_column = {name: changed_cells(rows.column(name), variant.column(name)) for name in table.columns}
    changed = np.zeros(rows.size, dtype=bool)
    for cells in by_column.values():
        changed |= cells
    columns = tuple(name for name, cells in by_column.items() if cells.any())
    return ChangedRows(where, rows, variant, columns).only(changed)


def _edited(
    table: Table,
    rows: Table,
    where: NDArray[np.int64],
    edit: ColumnEdit,
    ids: NDArray[np.uint64],
    seed: int,
) -> ChangedRows:
    column = known_column(table, edit.column, "transformation.column")
    cells = rows.column(column)
    own = ids if len(where) == table.size else ids[where]
    edited = edit.edited(cells, own, seed=seed, population=table.column(column))
    changed = changed_cells(cells, edited)
    if changed.all():
        return ChangedRows(where, rows, rows.with_column(column, edited), (column,))
    import numpy as np

    some = np.flatnonzero(changed)
    before = rows.taken(some)
    return ChangedRows(where[some], before, before.with_column(column, edited[some]), (column,))


def described_transformation(transformation: Any) -> JsonObject:
    """A transformation as it stands in a plan: its name, its settings, and what it says to preserve.

    Raises:
        UsageError: it is neither a column edit nor a function.
    """
    if isinstance(transformation, ColumnEdit):
        return transformation.to_json()
    if not callable(transformation) or isinstance(transformation, type):
        message = f"{describe(transformation)} is no transformation"
        hint = "give robust.column_edits.…, or a function of the rows that returns them changed"
        raise UsageError.of("bad_transformation", message, path="transformation", hint=hint)
    preserves = getattr(transformation, "preserves", None)
    stated = preserves if isinstance(preserves, str) and preserves.strip() else _NOT_STATED
    return {"name": function_name(transformation), "settings": {}, "preserves": stated}


def function_name(function: Any) -> str:
    """What a function calls itself."""
    for attribute in ("__qualname__", "name"):
        name = getattr(function, attribute, None)
        if isinstance(name, str) and name:
            return name
    return type_name(function)
