"""Rows of JSON Lines, JSON lists and CSV, streamed with their places; what the columns mean is told elsewhere."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import PurePath
from typing import Any, Final, NamedTuple, TypeAlias

from robust.canon import JsonObject, decode_utf8, describe, fold, read_json
from robust.errors import DataError, Problem
from robust.store.csv_records import DELIMITERS, best_delimiter, csv_records
from robust.store.files import MAX_LINE_BYTES, read_file, read_lines

MAX_JSON_BYTES: Final = 1024 * 1024 * 1024
# A line, or the path of a row in a JSON list, whose lines the fast reader does not know.
Place: TypeAlias = "int | str"
_SHOWN: Final = 60


class Row(NamedTuple):
    """A row with named columns: its line or its path in a list, the JSON path that errors start with, its values.

    The values of a CSV file are text, and an empty cell is no value.
    """

    place: Place
    path: str
    values: JsonObject


def shown_value(value: object) -> str:
    """A value for a message: a short text as it is, of anything else its kind."""
    if not isinstance(value, str):
        return describe(value)
    return repr(value if len(value) <= _SHOWN else value[: _SHOWN - 1] + "…")


def json_lines(file: str) -> Iterator[tuple[int, str, Any]]:
    """Every value of a file of JSON Lines, with its line; blank lines are passed over.

    Raises:
        UsageError: the file cannot be read.
        DataError: a line is not JSON.
    """
    yield from json_values(read_lines(file), file)


def json_values(lines: Iterable[tuple[int, bytes]], file: str) -> Iterator[tuple[int, str, Any]]:
    """The values of numbered lines; see :func:`json_lines`."""
    for line, text in lines:
        if text.strip():
            yield line, "$", read_json(text, file=file, line=line, max_bytes=MAX_LINE_BYTES)


def json_list(file: str) -> Iterator[tuple[Place, str, Any]]:
    """Every value of a JSON list, with its path.

    Raises:
        UsageError: the file cannot be read.
        DataError: it is not JSON, or no list.
    """
    rows = list_rows(read_json(read_file(file, MAX_JSON_BYTES), file=file, max_bytes=MAX_JSON_BYTES), file)
    for index, row in enumerate(rows):
        yield f"$[{index}]", f"$[{index}]", row


def list_rows(rows: Any, file: str) -> list[Any]:
    """The rows of a document, which must be a list.

    Raises:
        DataError: it is none.
    """
    if not isinstance(rows, list):
        raise DataError.of("wrong_value", f"must be a list of rows, not {describe(rows)}", file=file, path="$")
    return rows


def csv_cells(file: str, columns: Sequence[str] = ()) -> Iterator[tuple[int, list[str]]]:
    """The cells of each row of a CSV file with the line where it starts, the header first; blank lines are none.

    The file is read once from its start to its end, so that it may be a pipe.

    Args:
        file: the file.
        columns: what is looked for in the header: cells are parted by that mark with which it has most of them. By
            default, and where none has more than another, that is a comma.

    Raises:
        UsageError: the file cannot be read.
        DataError: the file is not UTF-8 or not CSV, or a row has more or fewer cells than the first one.
    """
    lines: Iterator[str] = (
        decode_utf8(text, file=file, line=number, mark=False) + "\n" for number, text in read_lines(file)
    )
    delimiter = DELIMITERS[0]
    if columns:
        head: list[str] = []
        for line in lines:
            head.append(line)
            if line.strip():
                break
        known = frozenset(columns)
        delimiter = best_delimiter(head[-1] if head else "", lambda cells: len(known.intersection(cells)))
        lines = chain(head, lines)
    width = 0
    for number, cells in csv_records(lines, file, delimiter=delimiter):
        width = width or len(cells)
        if len(cells) != width:
            message = f"the row has {len(cells)} cells, the header {width}"
            hint = "quote cells that hold the delimiter"
            raise DataError.of("csv_cells", message, file=file, line=number, hint=hint)
        yield number, cells


def repeated_columns(cells: Sequence[str], file: str, line: int) -> list[Problem]:
    """One problem for each column of a header that stands twice, also after folding."""
    problems = []
    folded: set[str] = set()
    for name in cells:
        if fold(name) in folded:
            message = f"the column {name!r} stands twice"
            problems.append(Problem(code="csv_header", message=message, file=file, line=line, hint="keep one"))
        folded.add(fold(name))
    return problems


def is_csv(path: str | os.PathLike[str]) -> bool:
    """Whether a file's ending says that it has a header and cells."""
    return PurePath(path).suffix.lower() in (".csv", ".tsv")


def read_rows(path: str | os.PathLike[str], *, needed: Sequence[str], optional: Sequence[str] = ()) -> Iterator[Row]:
    """Stream the rows of a table; the form is told by the file's ending: .jsonl, .json, .csv or .tsv.

    A CSV file may have commas, semicolons, tabs or bars between its cells: that mark is taken with which its header has
    the columns that are looked for.

    Args:
        path: the file.
        needed: columns that a CSV header must have.
        optional: columns that are looked for as well, where the header has them.

    Raises:
        UsageError: the file cannot be read.
        DataError: its form is unknown, a row is wrong, or a needed column is missing; names file and line.
    """
    file, suffix = os.fspath(path), PurePath(path).suffix.lower()
    if is_csv(path):
        yield from _csv_rows(file, needed, optional)
        return
    if suffix not in (".jsonl", ".json"):
        message = f"a table ends in .jsonl, .json, .csv or .tsv, not {suffix or 'nothing'!r}"
        raise DataError.of("unknown_format", message, file=file, hint="rename or convert it")
    for place, where, values in json_lines(file) if suffix == ".jsonl" else json_list(file):
        if not isinstance(values, dict):
            line = place if isinstance(place, int) else None
            message = f"a row must be an object, not {describe(values)}"
            raise DataError.of("wrong_value", message, file=file, line=line, path=where)
        yield Row(place, where, values)


def _csv_rows(file: str, needed: Sequence[str], optional: Sequence[str]) -> Iterator[Row]:
    rows = csv_cells(file, [*needed, *optional])
    line, header = next(rows, (1, None))
    if header is None:
        raise DataError.of("csv_header", "the file has no header", file=file, line=1, hint=f"name {', '.join(needed)}")
    problems = repeated_columns(header, file, line)
    hint = "it has " + ", ".join(name if name and name == name.strip() else repr(name) for name in header)
    problems += [
        Problem(code="csv_header", message=f"there is no column {name!r}", file=file, line=line, hint=hint)
        for name in needed
        if name not in header
    ]
    if problems:
        raise DataError(*problems)
    for line, cells in rows:
        yield Row(line, "$", {name: cell for name, cell in zip(header, cells, strict=True) if cell})
