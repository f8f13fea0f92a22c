"""Review on paper: sheets of what people are to judge, and what they judged as an oracle."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from robust.errors import DataError, Problem
from robust.oracle.review_table import ReviewTable
from robust.oracle.reviewed import ReviewedOracle
from robust.oracle.reviewers import ReviewersOracle
from robust.records.review import ReviewRow
from robust.records.status import Status
from robust.render.review import review_row, sheet_notices
from robust.store.files import atomic_output
from robust.store.review_form import Form, encode_sheet
from robust.store.reviews import read_sheet, sheet_form
from robust.store.validations import read_validations

Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


@dataclass(slots=True)
class SheetCounts:
    """How many rows a sheet has, and how many records are of pairs that had a row already."""

    rows: int = 0
    repeated: int = 0


def review_rows(
    path: str | os.PathLike[str],
    counts: SheetCounts,
    *,
    status: Status | None = None,
    code: str | None = None,
) -> Iterator[ReviewRow]:
    """Stream the pairs of a validation file that people are to judge, each pair once.

    Args:
        path: a file of validation records.
        counts: is counted up while the rows are read.
        status: only pairs of records of this status.
        code: only pairs of records with this code.

    Raises:
        UsageError: the file cannot be read.
        IntegrityError: a record is damaged.
    """
    seen: set[bytes] = set()
    for record in read_validations(path):
        if (status is not None and record.status != status) or (code is not None and code not in record.issues):
            continue
        row = review_row(record)
        key = bytes.fromhex(row.pair.pair.removeprefix("sha256:"))
        if key in seen:
            counts.repeated += 1
            continue
        seen.add(key)
        counts.rows += 1
        yield row


def sheet_bytes(rows: Iterable[ReviewRow], form: Form, *, delimiter: str = ",") -> Iterator[bytes]:
    """The bytes of a review sheet, row by row; see :func:`write_sheet`."""
    return encode_sheet(rows, form, delimiter=delimiter)


def write_sheet(
    output: str | os.PathLike[str],
    rows: Iterable[ReviewRow],
    form: Form,
    *,
    delimiter: str = ",",
    overwrite: bool = False,
) -> None:
    """Write a review sheet atomically.

    Args:
        output: the file.
        rows: the rows.
        form: ``csv`` for spreadsheets, ``jsonl`` for other tools.
        delimiter: what parts the cells of CSV.
        overwrite: whether the file may be replaced.

    Raises:
        UsageError: it exists and ``overwrite`` is false, or it cannot be written.
    """
    with atomic_output(Path(output), overwrite=overwrite) as write:
        for line in sheet_bytes(rows, form, delimiter=delimiter):
            write(line)


def write_review_sheet(
    records: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    form: Form = "csv",
    status: Status | None = "unknown",
    code: str | None = None,
    delimiter: str = ",",
    overwrite: bool = False,
) -> SheetCounts:
    """Write the sheet on which people judge the pairs of a validation file.

    Args:
        records: a file of validation records.
        output: the file to write.
        form: ``csv`` for spreadsheets, ``jsonl`` for other tools.
        status: only pairs of records of this status; None for all.
        code: only pairs of records with this code.
        delimiter: what parts the cells of CSV.
        overwrite: whether the file may be replaced.

    Raises:
        UsageError: a file cannot be read or written.
        IntegrityError: a record is damaged.
    """
    counts = SheetCounts()
    rows = review_rows(records, counts, status=status, code=code)
    write_sheet(output, rows, form, delimiter=delimiter, overwrite=overwrite)
    return counts


def reviewed_oracle(paths: Paths, contract: str | None = None) -> ReviewedOracle | ReviewersOracle:
    """The oracle of files of reviews; what they are is told by their content.

    Validation records are repeated as they are. Of review sheets, in CSV or JSON Lines, the oracle is who judged; all
    sheets that are given together make one panel, whose members have to agree on a pair that several of them judged.

    Args:
        paths: a file, or several of one kind.
        contract: the oracle contract whose reviews count; None where all are of one.

    Raises:
        UsageError: a file cannot be read.
        IntegrityError: a validation record is damaged.
        DataError: the files are of several kinds; a row is not as it was written, or cannot be read for certain;
            nothing was judged, or not under the contract; or two reviewers' names look alike.
    """
    files = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    forms = {"records" if sheet_form(file) == "validations" else "sheets" for file in files}
    if len(forms) > 1:
        message = "validation records and review sheets are given together"
        raise DataError.of("mixed_reviews", message, hint="give them one by one, and say how they are combined")
    try:
        if forms == {"records"}:
            return ReviewedOracle((record for file in files for record in read_validations(file)), contract=contract)
        return _panel(files, contract)
    except DataError as error:
        raise error.located(file=", ".join(os.fspath(file) for file in files) or None) from None


def _panel(files: Iterable[str | os.PathLike[str]], contract: str | None) -> ReviewersOracle:
    notices: list[str] = []
    return ReviewersOracle(_rows(files, notices), contract=contract, notices=notices)


def _rows(files: Iterable[str | os.PathLike[str]], notices: list[str] | None = None) -> Iterator[ReviewRow]:
    """The rows of all sheets, of which each names everything that is wrong with it.

    Args:
        files: the sheets.
        notices: gets what a user should know of each sheet when its last row is read.
    """
    problems: list[Problem] = []
    for file in files:
        try:
            counts = yield from read_sheet(file, now=datetime.now(UTC))
        except DataError as error:
            problems += error.problems
        else:
            if notices is not None:
                notices += sheet_notices(os.fspath(file), counts)
    if problems:
        raise DataError(*problems)


def read_reviews(paths: Paths, contract: str | None = None) -> ReviewTable:
    """The judgements of review sheets, by pair.

    Raises:
        UsageError: a file cannot be read.
        DataError: see :func:`reviewed_oracle`; also a file of validation records.
    """
    files = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    for file in files:
        if sheet_form(file) == "validations":
            hint = "give sheets that variants show --as csv wrote"
            raise DataError.of("wrong_kind", "these are validation records", file=os.fspath(file), hint=hint)
    return ReviewTable(_rows(files), contract=contract)
