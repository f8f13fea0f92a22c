"""The validation record, ``robust.validation/1``: one judgement, with everything its status follows from."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, Self, TypeVar

from pydantic import ValidationError, field_validator

from robust.canon import JsonObject, canonical_bytes, digest_bytes, fold, parse_canonical
from robust.errors import CaseError, IntegrityError, Problem
from robust.records.base import Record, problems_of
from robust.records.case import Case, Relation
from robust.records.comparator import EXACT, Comparator, read_comparator
from robust.records.failure import FailureCode
from robust.records.status import Outcome, Status, Strength, derive_outcome

SCHEMA: Final = "robust.validation/1"
MAX_RECORD_BYTES: Final = 16 * 1024 * 1024
CONTRACT_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)*/v[0-9]+(?:\.[0-9]+)*\Z")
_OBSERVED_FIELDS: Final = ("validated_at", "duration_ms", "robust_version")


class _Oracle(Record):
    name: str
    version: str | None
    source_sha256: str | None
    labels: Literal["hidden", "visible"]
    repeats: int


class _Failure(Record):
    code: FailureCode
    path: str
    detail: Any


class _Verdict(Record):
    valid: bool | None
    reason: str
    base_expected: Any
    variant_expected: Any
    evidence: dict[str, Any]


class _Content(Record):
    """The shape of a stored record; what its values imply is derived, not declared."""

    schema_: Literal["robust.validation/1"]
    contract: str
    relation: Relation
    comparator: dict[str, Any]
    oracle: _Oracle
    require_answers: bool
    base: dict[str, Any]
    candidate: dict[str, Any]
    verdict: _Verdict | None
    failures: list[_Failure]
    status: Status
    strength: Strength | None
    issues: list[str]

    @field_validator("contract")
    @classmethod
    def _named_with_version(cls, value: str) -> str:
        if not CONTRACT_NAME.match(value):
            raise ValueError("an oracle contract is name/vN")
        return value


_COMPARATORS: dict[bytes, Comparator] = {canonical_bytes(EXACT.to_json()): EXACT}


class ValidationRecord:
    """One judgement, held as the canonical bytes that its digest is over; every typed view is derived from them.

    ``content`` is the canonical object without ``digest`` and ``observed``.
    """

    __slots__ = ("_head", "content", "digest", "issues", "observed", "status", "strength")

    def __init__(self, content: bytes, head: int, outcome: Outcome, observed: JsonObject) -> None:
        self.content = content
        self._head = head
        self.digest = digest_bytes(content)
        self.status = outcome.status
        self.strength = outcome.strength
        self.issues = outcome.issues
        self.observed = observed

    @classmethod
    def of(cls, record: ValidationRecord) -> Self:
        """The same record as another class of record."""
        copy = object.__new__(cls)
        for name in ValidationRecord.__slots__:
            setattr(copy, name, getattr(record, name))
        return copy

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ValidationRecord) and self.content == other.content

    def __hash__(self) -> int:
        return hash(self.content)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.status} {list(self.issues)} {self.digest[:19]}…>"

    @property
    def data(self) -> JsonObject:
        """A fresh dict of the whole record, ``digest`` and ``observed`` included."""
        data: JsonObject = parse_canonical(self.content)
        return {**data, "digest": self.digest, "observed": dict(self.observed)}

    def stored_line(self) -> bytes:
        """The canonical record with its digest and without ``observed``, as manifests keep it."""
        head, tail = self.content[: self._head], self.content[self._head :]
        return b'%s,"digest":"%s"%s' % (head, self.digest.encode(), tail)

    def line(self) -> bytes:
        """The canonical record with its digest and ``observed``: one line of a validation file."""
        return canonical_bytes(self.data)


AnyRecord = TypeVar("AnyRecord", bound=ValidationRecord)


def assemble(
    record_type: type[AnyRecord],
    *,
    base: bytes,
    candidate: bytes,
    contract: str,
    relation: Relation,
    comparator: Comparator,
    oracle: bytes,
    require_answers: bool,
    verdict: bytes,
    failures: bytes,
    outcome: Outcome,
    observed: JsonObject,
) -> AnyRecord:
    """Splice a record from the canonical bytes of its parts, each of which was encoded once already."""
    head = b'{"base":%s,"candidate":%s,"comparator":%s,"contract":"%s"' % (
        base,
        candidate,
        b'{"name":"exact"}' if comparator is EXACT else canonical_bytes(comparator.to_json()),
        contract.encode(),
    )
    issues = b"[%s]" % b",".join(b'"%s"' % issue.encode() for issue in outcome.issues)
    tail = (
        b',"failures":%s,"issues":%s,"oracle":%s,"relation":"%s","require_answers":%s,"schema":"%s","status":"%s",'
        b'"strength":%s,"verdict":%s}'
    ) % (
        failures,
        issues,
        oracle,
        relation.encode(),
        b"true" if require_answers else b"false",
        SCHEMA.encode(),
        outcome.status.encode(),
        b"null" if outcome.strength is None else b'"%s"' % outcome.strength.encode(),
        verdict,
    )
    return record_type(head + tail, len(head), outcome, observed)


def read_validation(data: Mapping[str, Any], *, file: str | None = None, line: int | None = None) -> ValidationRecord:
    """Read a stored record: its shape, its digest, and whether status, strength and issues follow from its content.

    Raises:
        IntegrityError: something is missing, of the wrong kind, or does not follow; names the path and both values.
    """
    content = {key: value for key, value in data.items() if key not in ("digest", "observed")}
    parsed, comparator = _read_content(content, file, line)
    base, candidate = content["base"], content["candidate"]
    outcome = derive_outcome(
        unchanged=_content(base) == _content(candidate),
        base_label=base.get("expected"),
        candidate_label=candidate.get("expected"),
        relation=parsed.relation,
        comparator=comparator,
        require_answers=parsed.require_answers,
        verdict=content["verdict"],
        failures=content["failures"],
    )
    derived = {"status": outcome.status, "strength": outcome.strength, "issues": list(outcome.issues)}
    problems = [
        _contradiction(f"$.{name}", content[name], value, file, line)
        for name, value in derived.items()
        if content[name] != value
    ]
    if problems:
        raise IntegrityError(*problems)
    encoded = canonical_bytes(content)
    head = len(canonical_bytes({key: content[key] for key in ("base", "candidate", "comparator", "contract")})) - 1
    record = ValidationRecord(encoded, head, outcome, dict(data.get("observed") or {}))
    if data.get("digest") != record.digest:
        raise IntegrityError(_contradiction("$.digest", data.get("digest"), record.digest, file, line))
    return record


def read_validation_line(line: bytes, *, file: str | None = None, number: int = 1) -> ValidationRecord:
    """Read one line of a validation file.

    Raises:
        IntegrityError: see :func:`read_validation`; also a line that is not canonical.
    """
    data = parse_canonical(line, file=file, line=number)
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise IntegrityError.of("unknown_schema", f"not a {SCHEMA} record", file=file, line=number, path="$.schema")
    observed = data.get("observed", {})
    if not isinstance(observed, dict) or not set(observed) <= set(_OBSERVED_FIELDS):
        raise IntegrityError.of("wrong_value", "unknown observed fields", file=file, line=number, path="$.observed")
    return read_validation(data, file=file, line=number)


def _read_content(content: JsonObject, file: str | None, line: int | None) -> tuple[_Content, Comparator]:
    renamed = {("schema_" if key == "schema" else key): value for key, value in content.items()}
    try:
        parsed = _Content.model_validate(renamed)
        encoded = canonical_bytes(parsed.comparator)
        if encoded not in _COMPARATORS:
            _COMPARATORS[encoded] = read_comparator(parsed.comparator)
        base = Case.from_json(parsed.base, path="$.base")
        candidate = Case.from_json(parsed.candidate, path="$.candidate")
    except ValidationError as error:
        problems: Sequence[Problem] = problems_of(error)
    except CaseError as error:
        problems = error.problems
    else:
        problems = pair_problems(base, candidate)
        if candidate.origin is None:
            problems.append(
                Problem(code="missing_field", message="a candidate names its origin", path="$.candidate.origin")
            )
        if not problems:
            return parsed, _COMPARATORS[encoded]
    located = (
        Problem(
            code=item.code,
            message=item.message,
            file=file,
            line=line,
            path=(item.path or "$").replace("schema_", "schema"),
        )
        for item in problems
    )
    raise IntegrityError(*located)


def pair_problems(base: Case, candidate: Case) -> list[Problem]:
    """Why two cases cannot be a base and its candidate: equal ids, different sources, or another parent."""
    problems = []
    if base.case_id == candidate.case_id:
        message = f"base and candidate have one case_id, {base.case_id!r}"
        problems.append(
            Problem(code="equal_ids", message=message, path="$.candidate.case_id", hint="give each its own")
        )
    if base.source_id != candidate.source_id and fold(base.source_id) != fold(candidate.source_id):
        message = f"the base's source_id is {base.source_id!r}, the candidate's {candidate.source_id!r}"
        hint = "a candidate keeps its base's source group"
        problems.append(Problem(code="different_sources", message=message, path="$.candidate.source_id", hint=hint))
    origin = candidate.origin
    if origin is not None and origin.parent_id != base.case_id:
        message = f"the candidate's parent is {origin.parent_id!r}, the base is {base.case_id!r}"
        problems.append(Problem(code="other_parent", message=message, path="$.candidate.origin.parent_id"))
    if origin is not None and origin.parent_content != (content := base.content_digest):
        message = f"the candidate was made from content {origin.parent_content}, the base has {content}"
        hint = "the base changed since; make the candidate again"
        problems.append(
            Problem(code="other_parent", message=message, path="$.candidate.origin.parent_content", hint=hint)
        )
    return problems


def _content(case: JsonObject) -> bytes:
    return canonical_bytes([case["input"], case.get("media") or []])


def _contradiction(path: str, stored: object, derived: object, file: str | None, line: int | None) -> Problem:
    message = f"{stored!r} is stored, {derived!r} follows from the content"
    return Problem(code="contradiction", message=message, file=file, line=line, path=path)
