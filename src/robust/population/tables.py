"""Any rows as a table."""

from __future__ import annotations

from typing import Any

from robust.canon import describe
from robust.errors import DataError
from robust.population.frames import frame_table
from robust.population.rows import ArrayTable, RecordTable, Table, TextTable


def table_of(data: Any) -> Table:
    """Any rows as a table.

    Args:
        data: an array of one or two dimensions (also with named fields), a list of records (dictionaries), a list of
            texts, or a data frame or series of any library that narwhals knows.

    Raises:
        DataError: it is none of them; of a data frame, also if narwhals is not installed.
    """
    import numpy as np

    if isinstance(data, np.ndarray):
        return ArrayTable(data)
    if isinstance(data, list | tuple):
        if all(isinstance(row, dict) for row in data):
            return RecordTable(list(data))
        if all(isinstance(row, str) for row in data):
            return TextTable(list(data))
        odd = next(
            row for row in data if not isinstance(row, type(data[0]) if isinstance(data[0], str | dict) else str)
        )
        hint = "give dictionaries or texts only, or an array"
        raise DataError.of("bad_rows", f"rows of a list are dictionaries or texts, not {describe(odd)}", hint=hint)
    if isinstance(data, dict | str | bytes) or not hasattr(data, "__len__"):
        hint = "give an array, a list of dictionaries, a list of texts, or a data frame"
        raise DataError.of("bad_rows", f"{describe(data)} holds no rows", path="data", hint=hint)
    if type(data).__module__.partition(".")[0] == "scipy":
        raise DataError.of("bad_rows", "sparse arrays have no columns here", path="data", hint="give data.toarray()")
    return frame_table(data)
