"""Review sheets that come back from people: every row is read for certain, or says what is wrong with it."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Final, Literal

from robust.canon import describe, read_json
from robust.errors import DataError, Problem, UsageError
from robust.records.review import SCHEMA, ReviewCounts, ReviewRow, line_feeds
from robust.records.validation import SCHEMA as VALIDATION_SCHEMA
from robust.store.files import MAX_LINE_BYTES, read_lines
from robust.store.review_cells import check_filled
from robust.store.review_form import COLUMNS, FILLED, MARK, SEAL_COLUMN, named_columns
from robust.store.review_judgement import noting, read_judgement
from robust.store.review_pairs import help_of, own_pair, sealed_pair
from robust.store.spreadsheet import open_sheet, unguard

_MAX_PROBLEMS: Final = 1000
_MAX_IGNORED: Final = 1000
_FIELDS: Final = frozenset((*COLUMNS, "seal", "schema"))


def read_sheet(
    path: str | os.PathLike[str], *, now: datetime | None = None
) -> Generator[ReviewRow, None, ReviewCounts]:
    """Stream the rows of a review sheet.

    Args:
        path: the file, in CSV or JSON Lines.
        now: the current time in UTC, after which nobody can have judged; None to ask nothing of it.

    Returns:
        what was counted, when the last row is read.

    Raises:
        UsageError: the file cannot be read.
        DataError: it is no review sheet; or, after the last row, every row that is wrong: one that is not as it was
            written, or whose judgement cannot be read for certain.
    """
    wrong, ignored = _Wrong(os.fspath(path)), dict[str, None]()
    read = _rows_of_objects if sheet_form(path) == "jsonl" else _rows_of_cells
    judged = unjudged = without_reason = 0
    for row in read(os.fspath(path), now, wrong, ignored):
        if row.judgement is None:
            unjudged += 1
        else:
            judged += 1
            without_reason += not row.judgement.reason.strip()
        yield row
    wrong.raise_all()
    return ReviewCounts(judged=judged, unjudged=unjudged, without_reason=without_reason, ignored=tuple(ignored))


class _Wrong:
    """What is wrong with the rows of a file: as many problems as anybody reads, and how many more there are."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._problems: list[Problem] = []
        self._more = 0

    def add(self, error: DataError, line: int) -> None:
        """Take in what is wrong with one row."""
        placed = error.located(file=self._file, line=line).problems
        listed = placed[: _MAX_PROBLEMS - len(self._problems)]
        self._problems += listed
        self._more += len(placed) - len(listed)

    def raise_all(self) -> None:
        """Raise one error that names them all, if there are any."""
        if self._more:
            message = f"{self._more} more problems are not listed"
            self._problems.append(Problem(code="more_problems", message=message, file=self._file))
        if self._problems:
            raise DataError(*self._problems)


def _rows_of_cells(file: str, now: datetime | None, wrong: _Wrong, ignored: dict[str, None]) -> Iterator[ReviewRow]:
    sheet = open_sheet(file, MARK)
    names = named_columns(sheet.header, sheet.file, sheet.header_line)
    ignored.update((cell, None) for cell, known in zip(sheet.header, names, strict=True) if known is None and cell)
    for line, cells in sheet.rows():
        # Sheets that were put one below the other bring their headers along, with a mark before the first cell.
        if tuple(cell.strip().removeprefix("\ufeff") for cell in cells) == sheet.header:
            continue
        try:
            row = _row_of_cells(names, cells, now)
        except DataError as error:
            wrong.add(error, line)
        else:
            yield row


def _row_of_cells(names: Sequence[str | None], cells: Sequence[str], now: datetime | None) -> ReviewRow:
    if any(cells[len(names) :]):
        message = f"the row has {len(cells)} cells, the header {len(names)}"
        raise DataError.of("csv_cells", message, hint="quote cells that hold the delimiter")
    raw = dict.fromkeys((*COLUMNS, "seal"), "")
    values = dict(raw)
    problems: list[Problem] = []
    for name, cell in zip(names, cells, strict=False):
        if name is None:
            continue
        key = "seal" if name == SEAL_COLUMN else name
        raw[key] = line_feeds(cell)
        values[key] = unguard(raw[key])
        if name in FILLED:
            noting(problems, name, check_filled, cell)
    if problems:
        raise DataError(*problems)
    # Google Sheets takes the guarding apostrophes off itself.
    pair = sealed_pair(values, raw) if SEAL_COLUMN in names else own_pair(values)
    return ReviewRow(pair=pair, help=help_of(values), judgement=read_judgement(values, pair.answers, now))


def _rows_of_objects(file: str, now: datetime | None, wrong: _Wrong, ignored: dict[str, None]) -> Iterator[ReviewRow]:
    for line, text in read_lines(file):
        if not text.strip():
            continue
        try:
            values = read_json(text, file=file, line=line, max_bytes=MAX_LINE_BYTES)
            row = _row_of_object(values, now, ignored)
        except DataError as error:
            wrong.add(error, line)
        else:
            yield row


def _row_of_object(values: object, now: datetime | None, ignored: dict[str, None]) -> ReviewRow:
    if not isinstance(values, dict):
        raise DataError.of("wrong_value", f"a row must be an object, not {describe(values)}", path="$")
    if values.get("schema", SCHEMA) != SCHEMA:
        raise DataError.of("unknown_schema", f"not a {SCHEMA} row", path="$.schema")
    others = (name for name in values if name not in _FIELDS and name not in ignored)
    ignored.update(dict.fromkeys(islice(others, _MAX_IGNORED - len(ignored))))
    pair = sealed_pair(values) if "seal" in values else own_pair(values)
    return ReviewRow(pair=pair, help=help_of(values), judgement=read_judgement(values, None, now))


def sheet_form(path: str | os.PathLike[str]) -> Literal["csv", "jsonl", "validations"]:
    """What a file of judgements is, told by its first line: validation records, or a review sheet in either form.

    Raises:
        UsageError: the file cannot be read, or only once, as a pipe.
        DataError: it begins like JSON and is none, or is of another kind.
    """
    if Path(os.fspath(path)).is_fifo():
        hint = "write what it gives into a file first"
        raise UsageError.of("unreadable", "a pipe can be read only once", file=os.fspath(path), hint=hint)
    for line, text in read_lines(path):
        if text.strip():
            if not text.lstrip().startswith(b"{"):
                break
            first = read_json(text, file=os.fspath(path), line=line, max_bytes=MAX_LINE_BYTES)
            if isinstance(first, dict) and first.get("schema") == VALIDATION_SCHEMA:
                return "validations"
            if not isinstance(first, dict) or not {"relation", "valid"} <= first.keys():
                message = "these are neither validation records nor rows of a review sheet"
                hint = "give what variants validate wrote, or the sheet of variants show --as csv or jsonl"
                raise DataError.of("wrong_kind", message, file=os.fspath(path), line=line, hint=hint)
            return "jsonl"
    return "csv"
