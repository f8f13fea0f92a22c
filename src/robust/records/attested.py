"""The kinds of values in the statements that this package makes; what they must be follows from the evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Final, Literal

from pydantic import Field, ValidationError

from robust.canon import JsonObject
from robust.errors import Problem
from robust.records.base import Record, problems_of
from robust.records.manifest import Count, Counts, Digest, Name, SplitSize


class _Descriptor(Record):
    name: str
    digest: dict[str, str]
    annotations: dict[str, Any] = Field(default_factory=dict)


class _RunPredicate(Record):
    result: Literal["PASSED", "WARNED", "FAILED"]
    configuration: Annotated[list[_Descriptor], Field(min_length=2, max_length=2)]
    passed: Annotated[list[str], Field(alias="passedTests")]
    warned: Annotated[list[str], Field(alias="warnedTests")]
    failed: Annotated[list[str], Field(alias="failedTests")]


class _CheckPredicate(_RunPredicate):
    configuration: Annotated[list[_Descriptor], Field(min_length=1, max_length=1)]


class _ReportNotes(Record):
    digest: Digest
    evidence_digest: Digest
    answers_digest: Digest


class _CheckReportNotes(Record):
    digest: Digest
    evidence_digest: Digest


class _RecordsNotes(Record):
    count: Count
    root: Digest


class _NoNotes(Record):
    pass


class _ManifestPredicate(Record):
    name: Name
    digest: Digest
    root: Digest
    parent: Digest | None
    splits: dict[Name, SplitSize]
    counts: Counts


class _ManifestNotes(Record):
    digest: Digest
    root: Digest


class _EvidencePredicate(Record):
    kind: Annotated[str, Field(min_length=1, max_length=100)]


# By what a statement is of: its predicate, and what is noted of each of its files, in order.
_SHAPES: Final[dict[str, tuple[type[Record], tuple[type[Record], ...]]]] = {
    "run": (_RunPredicate, (_ReportNotes, _RecordsNotes, _NoNotes)),
    # Of a relation check or population test, whose only configuration is its plan.
    "check": (_CheckPredicate, (_CheckReportNotes, _RecordsNotes, _NoNotes)),
    "manifest": (_ManifestPredicate, (_ManifestNotes,)),
    "evidence": (_EvidencePredicate, (_NoNotes,)),
}


def statement_shape(of: str, predicate: JsonObject, notes: Sequence[JsonObject]) -> Iterator[Problem]:
    """What in a statement is missing, unknown, or of the wrong kind.

    Args:
        of: ``run``, ``manifest`` or ``evidence``; what has one configuration alone is held to the form of a check.
        predicate: the statement's predicate.
        notes: the annotations of its subjects.
    """
    listed = predicate.get("configuration")
    if of == "run" and isinstance(listed, list) and len(listed) == 1:
        of = "check"
    shape, shapes = _SHAPES[of]
    yield from _problems(shape, predicate, "$.predicate")
    if len(notes) != len(shapes):
        message = f"{len(notes)} files are listed; a statement of this kind is about {len(shapes)}"
        yield Problem(code="wrong_value", message=message, path="$.subject")
        return
    for index, (each, of_file) in enumerate(zip(notes, shapes, strict=True)):
        yield from _problems(of_file, each, f"$.subject[{index}].annotations")


def _problems(shape: type[Record], value: JsonObject, path: str) -> Iterator[Problem]:
    try:
        shape.model_validate(value)
    except ValidationError as error:
        yield from problems_of(error, path=path)
