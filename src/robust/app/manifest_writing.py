"""Manifests of any size, written without holding their cases: what is kept grows only by ids and digests."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from itertools import groupby, islice
from typing import Final, NamedTuple

from robust.canon import JsonObject, decode_own, digest_bytes, fold
from robust.errors import ManifestError, Problem
from robust.manifest.assembly import Assembly, check_name, portable_provenance
from robust.manifest.rows import (
    Row,
    each_case,
    each_validation,
    listed_row,
    merge_row,
    rows_of_validation,
    same_id,
)
from robust.manifest.rules import capped
from robust.manifest.splits import Placement, SplitPlan
from robust.records.case import Case
from robust.records.encoding import canonical_case
from robust.records.manifest import CaseEntry, LabelSource, case_line
from robust.records.validation import ValidationRecord, read_validation
from robust.store.attestations import evidence_output
from robust.store.sorted_spool import BUFFER_BYTES, SortedSpool
from robust.store.spool import LineSpool

# Behind an id or a digest, neither of which holds this byte, which is lower than any other.
_END: Final = b"\x00"
# Listed cases come first; behind the rank of the others their validation's digest orders them.
_LISTED: Final = b"0"
_VALIDATED: Final = b"1"
_SOURCES: Final[dict[bytes, LabelSource | None]] = {b"": None, b"given": "given", b"oracle": "oracle"}
_LINES_PER_WRITE: Final = 256


def write_manifest(
    path: str | os.PathLike[str],
    name: str,
    *,
    cases: Iterable[Case] = (),
    validations: Iterable[ValidationRecord] = (),
    splits: SplitPlan | str | None = None,
    salt: str = "",
    provenance: JsonObject | None = None,
    overwrite: bool = False,
    when_ready: Callable[[], object] | None = None,
    buffer_bytes: int = BUFFER_BYTES,
) -> str:
    """Write the very bytes that building a manifest and saving it would write, while its content streams in.

    Validations are read first, to their end, and then cases.

    Args:
        path: where to; the next six arguments are those of building one.
        name: the manifest's name.
        cases: cases to include.
        validations: valid validations of strength ``answers``.
        splits: lists, fractions, or the name of the one split.
        salt: makes another deal of source groups to fractions.
        provenance: a JSON object about where the data comes from.
        overwrite: whether a file that is there is replaced; other content takes away what was signed of it.
        when_ready: called once everything holds, before the file is there; what it raises leaves none.
        buffer_bytes: how much is sorted in memory at once.

    Returns:
        the manifest's digest.

    Raises:
        ManifestError: a rule is broken; every problem is named at once.
        CaseError: a case is not portable JSON.
        UsageError: the file exists and ``overwrite`` is false, or it or a temporary file cannot be written.
    """
    check_name(name)
    provenance = portable_provenance(provenance)
    placement = Placement(splits, salt)
    # Opened first: what cannot be written in the end is told before the work.
    with (
        evidence_output(path, overwrite=overwrite) as write,
        closing(SortedSpool(buffer_bytes)) as rows,
        closing(SortedSpool(buffer_bytes)) as records,
        closing(LineSpool()) as body,
    ):
        problems: list[Problem] = []
        validated = _put_aside(rows, records, cases, validations, problems)
        assembly = Assembly(split_names=placement.names, rule=placement.rule, validated=validated, dealt=True)
        for line in assembly.lines(_entries(rows, placement, assembly, problems), _records(records)):
            body.append(line)
        problems = problems or placement.problems()
        if problems:
            raise ManifestError(*capped(problems))
        header = assembly.finish(name, provenance=provenance)
        if when_ready is not None:
            when_ready()
        write(header + b"\n")
        lines = iter(body)
        while block := list(islice(lines, _LINES_PER_WRITE)):
            block.append(b"")  # so that the last line gets its line feed too
            write(b"\n".join(block))
    return digest_bytes(header)


def _put_aside(
    rows: SortedSpool,
    records: SortedSpool,
    cases: Iterable[Case],
    validations: Iterable[ValidationRecord],
    problems: list[Problem],
) -> bool:
    """Sort what is given; whether there are validations."""
    validated = False
    for record in each_validation(validations):
        validated = True
        digest = record.digest.encode()
        records.append(digest + _END + record.stored_line())
        for row in rows_of_validation(record, problems):
            rows.append(_encoded(row, _VALIDATED + digest))
    for case in each_case(cases):
        rows.append(_encoded(listed_row(case), _LISTED))
    return validated


def _encoded(row: Row, rank: bytes) -> bytes:
    """A row as it is sorted: id, rank, label source, validation, and the canonical case."""
    case = canonical_case(row.case)
    parts = (row.case.case_id.encode(), rank, (row.label_source or "").encode(), (row.validation or "").encode(), case)
    return _END.join(parts)


class _Sorted(NamedTuple):
    """A row that was put aside, with the bytes of its case."""

    listed: bool
    row: Row
    case: bytes


def _decoded(line: bytes) -> _Sorted:
    _, rank, source, validation, case = line.split(_END, 4)
    row = Row(Case.of_own(decode_own(case)), _SOURCES[source], validation.decode() or None)
    return _Sorted(rank == _LISTED, row, case)


def _id_of(line: bytes) -> bytes:
    return line[: line.index(_END)]


def _entries(
    rows: Iterable[bytes], placement: Placement, assembly: Assembly, problems: list[Problem]
) -> Iterator[tuple[CaseEntry, bytes]]:
    by_rule = placement.rule is not None
    for _, group in groupby(rows, key=_id_of):
        row, encoded = _one_of(map(_decoded, group), problems)
        known = assembly.rules.split_of_group(fold(row.case.source_id)) if by_rule else None
        split = placement.split_of(row.case, known)
        if split is not None:
            entry = CaseEntry(row.case, split, row.label_source, row.validation)
            yield entry, case_line(encoded, entry)


def _one_of(group: Iterator[_Sorted], problems: list[Problem]) -> tuple[Row, bytes]:
    """The one row of all those of an id, with its encoded case."""
    first = next(group)
    row, encoded = first.row, first.case
    for other in group:
        if other.listed and first.listed:
            problems.append(same_id(first.row.case, other.row.case))
            continue
        merged = merge_row(row, other.row, problems)
        row, encoded = (row, encoded) if merged is row else (merged, other.case)
    return row, encoded


def _records(lines: Iterable[bytes]) -> Iterator[ValidationRecord]:
    """The validations, ordered by digest, each once."""
    last = b""
    for line in lines:
        digest, stored = line.split(_END, 1)
        if digest != last:
            last = digest
            yield read_validation(decode_own(stored))
