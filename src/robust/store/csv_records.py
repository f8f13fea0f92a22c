"""Records of CSV text, and which mark parts their cells; where text comes from and what it means is told elsewhere."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from robust.errors import DataError
from robust.store.files import MAX_LINE_BYTES

DELIMITERS: Final = (",", ";", "\t", "|")


def csv_records(lines: Iterable[str], file: str, *, delimiter: str = ",") -> Iterator[tuple[int, list[str]]]:
    """The cells of every record with the line on which it begins, from 1; empty lines are none.

    Args:
        lines: the text line by line, each with its line end.
        file: the name that errors give.
        delimiter: what parts the cells.

    Raises:
        DataError: quotes are wrong.
    """
    _allow_long_cells()
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    first = 1
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as error:
            hint = "the row begins here; check its quotes and line ends"
            raise DataError.of("csv_syntax", str(error), file=file, line=first, hint=hint) from None
        if cells is None:
            return
        line, first = first, reader.line_num + 1
        if cells:
            yield line, cells


def best_delimiter(header: str, fit: Callable[[list[str]], Any]) -> str:
    """The mark under which the cells of a header fit best; of equals the first of :data:`DELIMITERS`.

    Args:
        header: the line in which the header begins.
        fit: how well cells fit; what is better is greater.
    """
    _allow_long_cells()

    def fit_under(delimiter: str) -> Any:
        try:
            return fit(next(csv.reader([header], delimiter=delimiter), []))
        except csv.Error:  # reading the records will say what is wrong
            return fit([])

    return max(DELIMITERS, key=fit_under)


def _allow_long_cells() -> None:
    """Let a cell be as long as its line may be; the limit is the whole process's."""
    csv.field_size_limit(MAX_LINE_BYTES)
