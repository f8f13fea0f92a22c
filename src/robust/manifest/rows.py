"""Rows: cases on their way into a manifest, from lists and from validations, and how rows of one id become one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from robust.canon import canonical_bytes, decode_own, describe
from robust.errors import CaseError, ManifestError, Problem
from robust.records.case import Case
from robust.records.encoding import canonical_case
from robust.records.manifest import CaseEntry, LabelSource
from robust.records.validation import ValidationRecord


class Row(NamedTuple):
    """A case that has no split yet, where its label comes from, and the validation that vouches for it."""

    case: Case
    label_source: LabelSource | None
    validation: str | None


def listed_row(case: Case) -> Row:
    """The row of a case that is given by itself."""
    return Row(case, None if case.expected is None else "given", None)


def rows_of_validation(record: ValidationRecord, problems: list[Problem]) -> Iterator[Row]:
    """The base and the variant of a validation; one that is not valid gives a problem instead."""
    if record.status != "valid":
        problems.append(
            Problem(
                code="not_valid",
                message=f"the validation {record.digest} is {record.status} ({', '.join(record.issues)})",
                path=f"case {record.data['candidate']['case_id']!r}",
                hint="only valid variants can be scored; leave it out",
            )
        )
        return
    data = record.data
    base, candidate = Case.from_json(data["base"]), Case.from_json(data["candidate"])
    if base.expected is None and data["verdict"]["base_expected"] is not None:
        yield Row(base.with_expected(data["verdict"]["base_expected"]), "oracle", record.digest)
    else:
        yield listed_row(base)
    yield Row(candidate.with_expected(data["verdict"]["variant_expected"]), "oracle", record.digest)


def merge_row(known: Row | None, row: Row, problems: list[Problem]) -> Row:
    """One row of two of the same id, whichever comes first; what cannot be one gives a problem.

    A given label goes before one that an oracle derived, and any label before none. Of several validations that vouch
    for one case the first by digest counts.
    """
    if known is None:
        return row
    if unlabelled(known.case) != unlabelled(row.case) or _labels_conflict(known, row):
        problems.append(same_id(known.case, row.case))
        return known
    if _rank(row) < _rank(known):
        return row
    return known


def same_id(first: Case, second: Case) -> Problem:
    """The problem of two cases that are given with one id."""
    message = f"two cases have the id {second.case_id!r}: {brief(first)} and {brief(second)}"
    return Problem(code="duplicate_id", message=message, path=f"case {second.case_id!r}")


def _rank(row: Row) -> tuple[int, str]:
    """The lower, the more a row says: a variant by its validation, a base by its label."""
    validation = row.validation or ""
    if row.case.origin is not None:
        return (0 if validation else 1, validation)
    return ({"given": 0, "oracle": 1, None: 2}[row.label_source], validation)


def _labels_conflict(known: Row, row: Row) -> bool:
    both_given = known.label_source == "given" and row.label_source == "given"
    variant = row.case.origin is not None and known.case.expected is not None and row.case.expected is not None
    return (both_given or variant) and canonical_bytes(known.case.expected) != canonical_bytes(row.case.expected)


def unlabelled(case: Case) -> bytes:
    """The canonical bytes of a case without its answer."""
    return canonical_case(replace(case, expected=None))


def brief(case: Case) -> str:
    """What tells two cases of one id apart, for an error."""
    shown = canonical_bytes({"input": case.input, "expected": case.expected, "source_id": case.source_id}).decode()
    return shown if len(shown) <= 160 else shown[:159] + "…"


def own_entry(line: bytes) -> CaseEntry:
    """The entry of a case line that this process made or has checked."""
    data = decode_own(line)
    return CaseEntry(Case.from_json(data["case"]), data["split"], data["label_source"], data["validation"])


def each_case(cases: Any) -> Iterator[Case]:
    """Cases given from outside, one by one.

    Raises:
        CaseError: they, or one of them, are something else.
    """
    if not isinstance(cases, Iterable):
        raise CaseError.of("not_a_case", f"must be cases, not {describe(cases)}", path="cases")
    for case in cases:
        if not isinstance(case, Case):
            raise CaseError.of("not_a_case", f"must be a Case, not {describe(case)}", path="cases")
        yield case


def each_validation(validations: Any) -> Iterator[ValidationRecord]:
    """Validations given from outside, one by one.

    Raises:
        ManifestError: they, or one of them, are something else.
    """
    if not isinstance(validations, Iterable):
        message = f"must be validations, not {describe(validations)}"
        raise ManifestError.of("not_a_validation", message, path="validations")
    for index, record in enumerate(validations):
        if not isinstance(record, ValidationRecord):
            message = f"must be a Validation, not {describe(record)}"
            raise ManifestError.of("not_a_validation", message, path=f"validations[{index}]")
        yield record
