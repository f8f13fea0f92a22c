"""The validation record, ``robust.validation/1``: one judgement, with everything its status follows from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal, Self, TypeVar

from pydantic import Field, ValidationError, field_validator, model_validator

from robust.canon import (
    JsonObject,
    canonical_bytes,
    canonical_number,
    canonical_part,
    describe,
    digest_bytes,
    fold,
    join_path,
    parse_canonical,
)
from robust.errors import CaseError, IntegrityError, Problem
from robust.records.base import Record, problems_of
from robust.records.case import Case, Relation
from robust.records.comparator import Comparator, stored_comparator
from robust.records.failure import MAX_MESSAGE_CHARACTERS, FailureCode
from robust.records.manifest import Digest
from robust.records.status import NO_VERDICT, Outcome, Status, Strength, derive_outcome
from robust.records.verdict import OracleVerdict, read_verdict

SCHEMA: Final = "robust.validation/1"
MAX_RECORD_BYTES: Final = 16 * 1024 * 1024
CONTRACT_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)*/v[0-9]+(?:\.[0-9]+)*\Z")
MAX_REPEATS: Final = 1000
_OBSERVED_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "validated_at": (str,),
    "duration_ms": (int, float),
    "robust_version": (str,),
}


class RecordedOracle(Record):
    """Who judged, and how it was asked."""

    name: Annotated[str, Field(min_length=1)]
    version: str | None
    source_sha256: Digest | None
    labels: Literal["hidden", "visible"]
    repeats: Annotated[int, Field(ge=1, le=MAX_REPEATS)]


class _Failure(Record):
    code: FailureCode
    path: str
    detail: Any

    @model_validator(mode="after")
    def _detail_fits_the_code(self) -> Self:
        if self.code == "validator_flaky":
            if not isinstance(self.detail, list):
                raise ValueError("the detail is the list of verdicts that differ")
        elif not isinstance(self.detail, str) or len(self.detail.encode()) > MAX_MESSAGE_CHARACTERS:
            raise ValueError(f"the detail is text of at most {MAX_MESSAGE_CHARACTERS} bytes")
        return self


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
    oracle: RecordedOracle
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

    @model_validator(mode="after")
    def _failures_fit_the_rest(self) -> Self:
        codes = {failure.code for failure in self.failures}
        if self.verdict is None and not codes & NO_VERDICT:
            raise ValueError("there is no verdict, and no failure that explains it")
        if "validator_flaky" in codes and self.oracle.repeats == 1:
            raise ValueError("verdicts cannot differ when the oracle was asked once")
        return self


class ValidationRecord:
    """One judgement, held as the canonical bytes that its digest is over; every typed view is derived from them.

    ``content`` is the canonical object without ``digest`` and ``observed``.
    """

    __slots__ = ("_head", "_middle", "content", "digest", "issues", "observed", "status", "strength")

    def __init__(
        self,
        content: bytes,
        head: int,
        middle: int,
        outcome: Outcome,
        observed: JsonObject,
        digest: str | None = None,
    ) -> None:
        self.content = content
        # Where the digest and the observed facts belong among the sorted keys.
        self._head = head
        self._middle = middle
        self.digest = digest_bytes(content) if digest is None else digest
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

    @property
    def key(self) -> str:
        """What identifies the judgement in a journal; see :func:`judgement_key`."""
        data = parse_canonical(self.content)
        return judgement_key(
            base=canonical_bytes(data["base"]),
            candidate=canonical_bytes(data["candidate"]),
            contract=data["contract"],
            relation=data["relation"],
            comparator=data["comparator"],
            require_answers=data["require_answers"],
            oracle=canonical_bytes(data["oracle"]),
        )

    def stored_line(self) -> bytes:
        """The canonical record with its digest and without ``observed``, as manifests keep it."""
        head, tail = self.content[: self._head], self.content[self._head :]
        return b'%s,"digest":"%s"%s' % (head, self.digest.encode(), tail)

    def without_cases(self) -> bytes:
        """The canonical record with its digest, without the two cases and ``observed``."""
        line = self.stored_line()
        # Between the cases and the end of the head there is nothing else of this name.
        return b"{" + line[line.rindex(b',"comparator":', 0, self._head) + 1 :]

    def line(self) -> bytes:
        """The canonical record with its digest and ``observed``: one line of a validation file."""
        content, head, middle = self.content, self._head, self._middle
        observed = _encode_observed(self.observed)
        digest = self.digest.encode()
        form = b'%s,"digest":"%s"%s,"observed":%s%s'
        return form % (content[:head], digest, content[head:middle], observed, content[middle:])


def judgement_key(
    *,
    base: bytes,
    candidate: bytes,
    contract: str,
    relation: Relation,
    comparator: JsonObject,
    require_answers: bool,
    oracle: bytes,
) -> str:
    """What identifies a judgement before and after it was made: the pair, the terms and the oracle.

    ``base``, ``candidate`` and ``oracle`` are canonical bytes as they stand in the record.
    """
    terms = canonical_bytes([contract, comparator, require_answers, relation])
    return digest_bytes(b"\n".join((base, candidate, terms, oracle)))


AnyRecord = TypeVar("AnyRecord", bound=ValidationRecord)
# What stands around the failures and the issues, behind which the digest and the observed facts belong.
FAILURES: Final = b',"failures":'
ISSUES: Final = b',"issues":'


def read_validation(data: object, *, file: str | None = None, line: int | None = None) -> ValidationRecord:
    """Read a stored record: its shape, its digest, and whether status, strength and issues follow from its content.

    Raises:
        IntegrityError: something is missing, of the wrong kind, or does not follow; names the path and both values.
    """
    if not isinstance(data, dict):
        message = f"a validation must be an object, not {describe(data)}"
        raise IntegrityError.of("wrong_value", message, file=file, line=line, path="$")
    observed = _read_observed(data.get("observed", {}), file, line)
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
    middle = head + len(FAILURES) + len(canonical_bytes(content["failures"]))
    middle += len(ISSUES) + len(canonical_bytes(content["issues"]))
    record = ValidationRecord(encoded, head, middle, outcome, observed)
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
    return read_validation(data, file=file, line=number)


def _encode_observed(observed: JsonObject) -> bytes:
    """The canonical bytes of the observed facts, as :func:`canonical_bytes` gives them; faster where all are there."""
    if observed.keys() != _OBSERVED_TYPES.keys() or type(observed["duration_ms"]) is not float:
        return canonical_bytes(observed)
    duration = canonical_number(observed["duration_ms"])
    version, moment = canonical_part(observed["robust_version"]), canonical_part(observed["validated_at"])
    return b'{"duration_ms":%s,"robust_version":%s,"validated_at":%s}' % (duration, version, moment)


def _read_observed(observed: object, file: str | None, line: int | None) -> JsonObject:
    if not isinstance(observed, dict):
        message = f"must be an object, not {describe(observed)}"
        raise IntegrityError.of("wrong_value", message, file=file, line=line, path="$.observed")
    for name, value in observed.items():
        if type(value) not in _OBSERVED_TYPES.get(name, ()):
            code = "wrong_value" if name in _OBSERVED_TYPES else "unknown_field"
            message = f"cannot be {describe(value)}" if name in _OBSERVED_TYPES else "no such field"
            raise IntegrityError.of(code, message, file=file, line=line, path=join_path("$.observed", name))
    return dict(observed)


def _read_content(content: JsonObject, file: str | None, line: int | None) -> tuple[_Content, Comparator]:
    renamed = {("schema_" if key == "schema" else key): value for key, value in content.items()}
    try:
        parsed = _Content.model_validate(renamed)
        comparator = stored_comparator(canonical_bytes(parsed.comparator))
        base = Case.from_stored(parsed.base, path="$.base")
        candidate = Case.from_stored(parsed.candidate, path="$.candidate")
    except ValidationError as error:
        problems: Sequence[Problem] = problems_of(error)
    except CaseError as error:
        problems = error.problems
    else:
        problems = [*pair_problems(base, candidate), *_verdict_problems(content["verdict"])]
        if candidate.origin is None:
            problems.append(
                Problem(code="missing_field", message="a candidate names its origin", path="$.candidate.origin")
            )
        if not problems:
            return parsed, comparator
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


def _verdict_problems(verdict: JsonObject | None) -> list[Problem]:
    """Why a stored verdict cannot have been kept as it stands: a part that is too large or too deep."""
    if verdict is None:
        return []
    _, failures = read_verdict(OracleVerdict(**verdict))
    return [
        Problem(code="wrong_value", message=str(item.detail), path="$.verdict" + item.path[1:]) for item in failures
    ]


def pair_problems(base: Case, candidate: Case, content: str | None = None) -> list[Problem]:
    """Why two cases cannot be a base and its candidate: equal ids, different sources, or another parent.

    Args:
        base: the base.
        candidate: the candidate.
        content: the base's content digest, where it is known already.
    """
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
    if base.origin is not None and base.origin.parent_id in (base.case_id, candidate.case_id):
        message = f"the base's parent is {base.origin.parent_id!r}, which is itself or its own candidate"
        problems.append(Problem(code="circular_origin", message=message, path="$.base.origin.parent_id"))
    origin = candidate.origin
    if origin is not None and origin.parent_id != base.case_id:
        message = f"the candidate's parent is {origin.parent_id!r}, the base is {base.case_id!r}"
        problems.append(Problem(code="other_parent", message=message, path="$.candidate.origin.parent_id"))
    if origin is not None and origin.parent_content != (content := content or base.content_digest):
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
