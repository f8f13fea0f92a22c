"""Data sets in JSON Lines, JSON and CSV, streamed into cases."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePath
from typing import Any

from robust.canon import JsonObject, decode_utf8, describe, fold, join_path, nfc, read_json
from robust.errors import CaseError, DataError, Problem, RobustError
from robust.records.base import unknown_fields
from robust.records.case import Case
from robust.store.files import MAX_LINE_BYTES, read_file, read_lines

MAX_JSON_BYTES = 1024 * 1024 * 1024
_ROW_FIELDS = ("id", "input", "expected", "metadata", "source_id")
_METADATA_PREFIX = "metadata."


def read_dataset(path: str | os.PathLike[str]) -> Iterator[Case]:
    """Stream the rows of a data set as cases; the form is told by the file's ending.

    A row has ``id`` and ``input``, and may have ``expected``, ``metadata`` and ``source_id``. Its source group is its
    ``source_id``, else ``metadata.source_id``, else its own id. A CSV file has these as columns, with metadata in
    columns ``metadata.NAME``; an empty cell is no value.

    Raises:
        UsageError: the file cannot be read.
        DataError: a row is wrong; names file, line and column or path. Ids that stand twice name both lines.
    """
    suffix = PurePath(path).suffix.lower()
    readers: dict[str, Callable[[str], Iterator[tuple[int, str, Any]]]] = {
        ".jsonl": _json_lines,
        ".json": _json_list,
        ".csv": _csv_rows,
    }
    if suffix not in readers:
        message = f"a data set ends in .jsonl, .json or .csv, not {suffix or 'nothing'!r}"
        raise DataError.of("unknown_format", message, file=os.fspath(path), hint="rename or convert it")
    yield from unique_cases(_cases(os.fspath(path), readers[suffix]), os.fspath(path))


def read_cases(path: str | os.PathLike[str]) -> Iterator[tuple[int, Case]]:
    """Stream cases with their lines: data set rows, or stored cases in JSON Lines (told by ``case_id``).

    Raises:
        UsageError: the file cannot be read.
        DataError: a line is wrong, or an id stands twice.
    """
    yield from read_candidates(path, {})


def read_candidates(path: str | os.PathLike[str], contents: Mapping[str, str]) -> Iterator[tuple[int, Case]]:
    """Stream candidates with their lines.

    An origin without ``parent_content`` gets that of its parent, so that candidates can be written by hand.

    Args:
        path: data set rows, or stored cases in JSON Lines (told by ``case_id``).
        contents: content digests of the bases by id.

    Raises:
        UsageError: the file cannot be read.
        DataError: a line is wrong, or an id stands twice.
    """
    if PurePath(path).suffix.lower() in (".json", ".csv"):
        yield from enumerate(read_dataset(path), start=1)
        return
    file = os.fspath(path)
    seen: dict[str, int] = {}
    for line, where, row in _json_lines(file):
        try:
            stored = isinstance(row, dict) and "case_id" in row
            case = Case.from_json(_with_content(row, contents)) if stored else case_of_row(row, where)
        except CaseError as error:
            raise DataError(*error.located(file=file, line=line).problems) from None
        _once(seen, case, line, file)
        yield line, case


def _with_content(row: JsonObject, contents: Mapping[str, str]) -> JsonObject:
    origin = row.get("origin")
    if not isinstance(origin, dict) or "parent_content" in origin:
        return row
    content = contents.get(str(origin.get("parent_id")))
    return row if content is None else {**row, "origin": {**origin, "parent_content": content}}


def _cases(file: str, reader: Callable[[str], Iterator[tuple[int, str, Any]]]) -> Iterator[tuple[int, Case]]:
    for line, path, row in reader(file):
        try:
            yield line, case_of_row(row, path)
        except RobustError as error:
            raise DataError(*error.located(file=file, line=line).problems) from None


def unique_cases(cases: Iterator[tuple[int, Case]], file: str) -> Iterator[Case]:
    """Pass cases on while their ids differ, also after normalisation.

    Raises:
        DataError: an id stands twice; names both lines.
    """
    seen: dict[str, int] = {}
    for line, case in cases:
        _once(seen, case, line, file)
        yield case


def _once(seen: dict[str, int], case: Case, line: int, file: str) -> None:
    identity = nfc(case.case_id)
    if identity in seen:
        message = f"the id {case.case_id!r} stands here and in line {seen[identity]}"
        raise DataError.of("duplicate_id", message, file=file, line=line, hint="give each row its own id")
    seen[identity] = line


def case_of_row(row: Any, path: str = "$") -> Case:
    """The case of a data set row.

    Raises:
        CaseError: a field is missing, unknown or wrong.
    """
    if not isinstance(row, dict):
        raise CaseError.of("wrong_value", f"a row must be an object, not {describe(row)}", path=path)
    problems = unknown_fields(row, _ROW_FIELDS, path)
    problems += [
        Problem(code="missing_field", message="the field is missing", path=join_path(path, name))
        for name in ("id", "input")
        if name not in row
    ]
    metadata = row.get("metadata")
    if metadata is not None and not isinstance(metadata, dict):
        message = f"must be an object, not {describe(metadata)}"
        problems.append(Problem(code="wrong_value", message=message, path=join_path(path, "metadata")))
        metadata = None
    if problems:
        raise CaseError(*problems)
    source = row.get("source_id")
    if source is None:
        source = (metadata or {}).get("source_id")
    if source is None:
        source = row["id"]
    return Case(
        input=row["input"],
        expected=row.get("expected"),
        case_id=row["id"],
        source_id=source,
        metadata=metadata or {},
    )


def _json_lines(file: str) -> Iterator[tuple[int, str, Any]]:
    for line, text in read_lines(file, complete=False):
        if text.strip():
            yield line, "$", read_json(text, file=file, line=line, max_bytes=MAX_LINE_BYTES)


def _json_list(file: str) -> Iterator[tuple[int, str, Any]]:
    rows = read_json(read_file(file, MAX_JSON_BYTES), file=file, max_bytes=MAX_JSON_BYTES)
    if not isinstance(rows, list):
        raise DataError.of("wrong_value", f"must be a list of rows, not {describe(rows)}", file=file, path="$")
    for index, row in enumerate(rows):
        yield index + 1, f"$[{index}]", row


def _csv_rows(file: str) -> Iterator[tuple[int, str, Any]]:
    lines = (decode_utf8(text, file=file, line=number) + "\n" for number, text in read_lines(file, complete=False))
    reader = csv.reader(lines, strict=True)
    header: list[str] | None = None
    first = 1
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as error:
            hint = "check quotes and line ends"
            raise DataError.of("csv_syntax", str(error), file=file, line=reader.line_num, hint=hint) from None
        if cells is None:
            break
        line, first = first, reader.line_num + 1
        if not cells:
            continue
        if header is None:
            header = _csv_header(cells, file, line)
            continue
        if len(cells) != len(header):
            message = f"the row has {len(cells)} cells, the header {len(header)}"
            raise DataError.of("csv_cells", message, file=file, line=line, hint="quote cells that hold commas")
        yield line, "$", _csv_row(header, cells)
    if header is None:
        raise DataError.of(
            "csv_header", "the file has no header", file=file, line=1, hint="start with id,input,expected"
        )


def _csv_header(cells: list[str], file: str, line: int) -> list[str]:
    problems = []
    folded: dict[str, str] = {}
    for name in cells:
        if fold(name) in folded:
            message = f"the column {name!r} stands twice"
            problems.append(Problem(code="csv_header", message=message, file=file, line=line, hint="keep one"))
        folded[fold(name)] = name
        if name not in ("id", "input", "expected", "source_id") and not name.startswith(_METADATA_PREFIX):
            hint = f"use id, input, expected, source_id, or {_METADATA_PREFIX}NAME"
            message = f"there is no column {name!r}"
            problems.append(Problem(code="csv_header", message=message, file=file, line=line, hint=hint))
    problems += [
        Problem(code="csv_header", message=f"the column {name!r} is missing", file=file, line=line)
        for name in ("id", "input")
        if name not in cells
    ]
    if problems:
        raise DataError(*problems)
    return cells


def _csv_row(header: list[str], cells: list[str]) -> JsonObject:
    row: JsonObject = {}
    metadata: JsonObject = {}
    for name, cell in zip(header, cells, strict=True):
        if name.startswith(_METADATA_PREFIX):
            if cell:
                metadata[name.removeprefix(_METADATA_PREFIX)] = cell
        elif cell or name in ("id", "input"):
            row[name] = cell
    return {**row, "metadata": metadata}
