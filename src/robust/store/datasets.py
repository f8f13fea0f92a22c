"""Data sets in JSON Lines, JSON and CSV, streamed into cases."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from robust.canon import JsonObject, describe, join_path, nfc
from robust.errors import CaseError, DataError, Problem, RobustError
from robust.records.base import unknown_fields
from robust.records.case import Case, Origin
from robust.store.files import read_line_blocks
from robust.store.plain_rows import ROW_FIELDS, PlainRows, plain_rows
from robust.store.tables import Place, csv_cells, json_lines, json_list, json_values, repeated_columns

_FIELD_SET = frozenset(ROW_FIELDS)
_METADATA_PREFIX = "metadata."
# So few lines are looked at one by one, where one of them is not plain.
_FEWEST = 4


def read_dataset(path: str | os.PathLike[str]) -> Iterator[Case]:
    """Stream the rows of a data set as cases; the form is told by the file's ending.

    A row has ``id`` and ``input``, and may have ``expected``, ``metadata`` and ``source_id``. Its source group is its
    ``source_id``, else ``metadata.source_id``, else its own id. A CSV file has these as columns, with metadata in
    columns ``metadata.NAME``; an empty cell is no value.

    Raises:
        UsageError: the file cannot be read.
        DataError: a row is wrong; names file, line and column or path. Ids that stand twice name both lines.
    """
    suffix, file = PurePath(path).suffix.lower(), os.fspath(path)
    readers: dict[str, Callable[[str], Iterator[tuple[Place, str, Any]]]] = {
        ".jsonl": json_lines,
        ".json": json_list,
        ".csv": _csv_rows,
    }
    if suffix not in readers:
        message = f"a data set ends in .jsonl, .json or .csv, not {suffix or 'nothing'!r}"
        raise DataError.of("unknown_format", message, file=file, hint="rename or convert it")
    yield from unique_cases(_cases(readers[suffix](file), file), file)


def read_dataset_rows(path: str | os.PathLike[str]) -> Iterator[PlainRows | Case]:
    """Stream the rows of a data set as :func:`read_dataset` does, many at once where they are plain.

    Raises:
        UsageError: the file cannot be read.
        DataError: a row is wrong; see :func:`read_dataset`.
    """
    if PurePath(path).suffix.lower() != ".jsonl":
        yield from read_dataset(path)
        return
    seen: dict[str, Place] = {}
    file = os.fspath(path)
    for number, lines in read_line_blocks(path):
        yield from _rows_of_lines(number, lines, seen, file)


def _rows_of_lines(
    number: int, lines: Sequence[bytes], seen: dict[str, Place], file: str
) -> Iterator[PlainRows | Case]:
    """The rows of lines, of which ``number`` is that of the first."""
    rows = plain_rows(lines)
    if rows is not None:
        ids = rows.ids if "".join(rows.ids).isascii() else [*map(nfc, rows.ids)]
        if seen.keys().isdisjoint(ids) and len(set(ids)) == len(ids):
            seen.update(zip(ids, range(number, number + len(ids)), strict=True))
            yield rows
            return
    if len(lines) > _FEWEST:
        middle = len(lines) // 2
        yield from _rows_of_lines(number, lines[:middle], seen, file)
        yield from _rows_of_lines(number + middle, lines[middle:], seen, file)
        return
    for place, case in _cases(json_values(enumerate(lines, start=number), file), file):
        _once(seen, case, place, file)
        yield case


def read_cases(path: str | os.PathLike[str]) -> Iterator[tuple[int, Case]]:
    """Stream cases with their lines: data set rows, or stored cases in JSON Lines (told by ``case_id``).

    Raises:
        UsageError: the file cannot be read.
        DataError: a line is wrong, or an id stands twice.
    """
    if PurePath(path).suffix.lower() in (".json", ".csv"):
        yield from enumerate(read_dataset(path), start=1)
    else:
        yield from _read_lines(os.fspath(path), _case_of_line)


def read_candidates(path: str | os.PathLike[str], bases: Mapping[str, Case]) -> Iterator[tuple[int, Case]]:
    """Stream candidates with their lines.

    So that candidates can be written by hand, an origin without ``parent_content`` gets that of its parent, and a row
    without a source the parent's source.

    Args:
        path: JSON Lines: rows with an ``origin``, or stored cases (told by ``case_id``).
        bases: the bases by id.

    Raises:
        UsageError: the file cannot be read.
        DataError: the file is of another form, a line is wrong, or an id stands twice.
    """
    suffix = PurePath(path).suffix.lower()
    if suffix in (".json", ".csv"):
        message = f"candidates stand in JSON Lines; a row in {suffix} cannot say what it was made from"
        hint = 'write one {"id","input","origin":{"parent_id"}} a line into a file that ends in .jsonl'
        raise DataError.of("unknown_format", message, file=os.fspath(path), hint=hint)
    yield from _read_lines(os.fspath(path), lambda row, where: _candidate_of_line(row, where, bases))


def _read_lines(file: str, read: Callable[[Any, str], Case]) -> Iterator[tuple[int, Case]]:
    seen: dict[str, Place] = {}
    for line, where, row in json_lines(file):
        try:
            case = read(row, where)
        except CaseError as error:
            raise DataError(*error.located(file=file, line=line).problems) from None
        _once(seen, case, line, file)
        yield line, case


def _case_of_line(row: Any, where: str) -> Case:
    return Case.from_json(row) if isinstance(row, dict) and "case_id" in row else case_of_row(row, where)


def _candidate_of_line(row: Any, where: str, bases: Mapping[str, Case]) -> Case:
    if not isinstance(row, dict) or row.get("origin") is None:
        return _case_of_line(row, where)
    row = _completed(row, bases)
    if "case_id" in row:
        return Case.from_json(row)
    origin = Origin.from_json(row.pop("origin"), join_path(where, "origin"))
    return replace(case_of_row(row, where), origin=origin)


def _completed(row: JsonObject, bases: Mapping[str, Case]) -> JsonObject:
    """A candidate's row with what follows from its parent."""
    origin = row.get("origin")
    parent_id = origin.get("parent_id") if isinstance(origin, dict) else None
    if not isinstance(origin, dict) or not isinstance(parent_id, str):
        return dict(row)
    parent = bases.get(parent_id)
    if parent is None:
        hint = "name a base by its id"
        raise CaseError.of("no_parent", f"the parent {parent_id!r} is no base", path="$.origin.parent_id", hint=hint)
    completed = {**row, "origin": {"parent_content": parent.content_digest, **origin}}
    metadata = row.get("metadata")
    if row.get("source_id") is None and not (isinstance(metadata, dict) and "source_id" in metadata):
        completed["source_id"] = parent.source_id
    return completed


def _cases(rows: Iterator[tuple[Place, str, Any]], file: str) -> Iterator[tuple[Place, Case]]:
    for place, path, row in rows:
        try:
            yield place, case_of_row(row, path)
        except RobustError as error:
            line = place if isinstance(place, int) else None
            raise DataError(*error.located(file=file, line=line).problems) from None


def unique_cases(cases: Iterable[tuple[Place, Case]], file: str) -> Iterator[Case]:
    """Pass cases on while their ids differ, also after normalisation.

    Args:
        cases: cases with their lines, or with their paths where they do not stand in lines.
        file: the name that errors give.

    Raises:
        DataError: an id stands twice; names both places.
    """
    seen: dict[str, Place] = {}
    for place, case in cases:
        _once(seen, case, place, file)
        yield case


def _once(seen: dict[str, Place], case: Case, place: Place, file: str) -> None:
    identity = nfc(case.case_id)
    if identity in seen:
        first = seen[identity]
        message = f"the id {case.case_id!r} stands here and in {f'line {first}' if isinstance(first, int) else first}"
        line, path = (place, None) if isinstance(place, int) else (None, place)
        hint = "give each row its own id"
        raise DataError.of("duplicate_id", message, file=file, line=line, path=path, hint=hint)
    seen[identity] = place


def case_of_row(row: Any, path: str = "$") -> Case:
    """The case of a data set row.

    Raises:
        CaseError: a field is missing, unknown or wrong.
    """
    return _plain_case(row) or _checked_case(row, path)


def _plain_case(row: Any) -> Case | None:
    """The case of a row that is in order at first sight, as most are; None to look closer."""
    if type(row) is not dict or not row.keys() <= _FIELD_SET:
        return None
    case_id, metadata = row.get("id"), row.get("metadata")
    if metadata is None:
        metadata = {}
    elif type(metadata) is not dict:
        return None
    source = row.get("source_id")
    if source is None:
        source = metadata.get("source_id") if metadata else None
    data: JsonObject = {
        "case_id": case_id,
        "source_id": case_id if source is None else source,
        "input": row.get("input"),
        "expected": row.get("expected"),
        "metadata": metadata,
        "media": [],
        "origin": None,
    }
    return Case.of_plain(data)


def _checked_case(row: Any, path: str) -> Case:
    if not isinstance(row, dict):
        raise CaseError.of("wrong_value", f"a row must be an object, not {describe(row)}", path=path)
    problems = unknown_fields(row, ROW_FIELDS, path)
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


def _csv_rows(file: str) -> Iterator[tuple[int, str, Any]]:
    rows = csv_cells(file)
    line, header = next(rows, (1, None))
    if header is None:
        raise DataError.of(
            "csv_header", "the file has no header", file=file, line=1, hint="start with id,input,expected"
        )
    _check_header(header, file, line)
    for line, cells in rows:
        yield line, "$", _csv_row(header, cells)


def _check_header(cells: list[str], file: str, line: int) -> None:
    problems = repeated_columns(cells, file, line)
    for name in cells:
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
