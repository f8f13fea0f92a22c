"""The shape of a line of ``records.jsonl``; what its values imply is derived elsewhere."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, TypeAdapter, ValidationError

from robust.canon import JsonObject
from robust.errors import IntegrityError, Problem
from robust.records.base import Record, problems_of
from robust.records.case import Relation
from robust.records.decision import ErrorKind
from robust.records.manifest import Digest

Id = Annotated[str, Field(min_length=1)]


def _shown(value: object) -> object:
    # Not a union of types: its errors would name places that no record has.
    if not isinstance(value, str | dict):
        raise ValueError("must be text or an object")
    return value


Shown = Annotated[Any, BeforeValidator(_shown)]


class _Error(Record):
    kind: ErrorKind


class _Result(Record):
    case_id: Id
    decision: str
    decision_type: str
    labels: list[str]
    probabilities: dict[str, Any]
    selected: str
    confidence: Any
    backend: str
    provider: str
    model: str | None
    model_version: str | None


class _Provenance(Record):
    variant_id: Id
    relation: Relation
    origin: dict[str, Any]


class _Generated(Record):
    relation: Relation
    paraphraser: dict[str, Any] | None = None


class _Trial(Record):
    probabilities: dict[str, Any] | None = None
    error: _Error | None = None


class _Common(Record):
    id: Id
    case_id: Id
    source_id: Id
    input: Shown
    media: list[dict[str, Any]]
    expected: Any
    metadata: dict[str, Any]
    presentation: Any
    result: _Result | None = None
    error: _Error | None = None
    trials: Annotated[list[_Trial], Field(min_length=1)] | None = None
    observed: dict[str, Any]


class _Decision(_Common):
    kind: Literal["decision"]


class _Variant(_Common):
    kind: Literal["pair"]
    property: Literal["variants"]
    sample: Annotated[int, Field(ge=0)]
    steps: Annotated[list[Any], Field(max_length=0)]
    provenance: _Provenance
    validation: Digest
    comparison: dict[str, Any] | None
    violations: list[str]
    reduced: None


class _Reduced(Record):
    steps: list[dict[str, Any]]
    input: Shown
    presentation: Any
    validation: dict[str, Any] | None
    result: _Result
    comparison: dict[str, Any]
    violations: list[str]


class _Pair(_Common):
    kind: Literal["pair"]
    property: str
    sample: Annotated[int, Field(ge=0)]
    steps: list[dict[str, Any]]
    provenance: _Generated
    validation: dict[str, Any] | None
    assumed: Literal[True] | None = None
    comparison: dict[str, Any] | None
    violations: list[str]
    reduced: _Reduced | None


class _Skip(Record):
    kind: Literal["skip"]
    id: Id
    case_id: Id
    source_id: Id
    property: str
    reason: str
    observed: dict[str, Any]


_SHAPES: dict[str, TypeAdapter[Any]] = {
    "decision": TypeAdapter(_Decision),
    "pair": TypeAdapter(_Pair),
    "skip": TypeAdapter(_Skip),
    "variant": TypeAdapter(_Variant),
}
# Members that are absent where they say nothing: a null there would be a second way to write the same.
_NEVER_NULL = ("result", "error", "trials", "assumed")


def check_shape(data: Any, *, file: str, line: int) -> JsonObject:
    """A record whose fields are all there and of the right kinds.

    A decision has either a result or an error; so has a pair, but for one whose oracle refused it, which has neither.

    Raises:
        IntegrityError: something is missing, unknown or of the wrong kind.
    """
    kind = data.get("kind") if isinstance(data, dict) else None
    if kind == "pair" and data.get("property") == "variants":
        kind = "variant"
    shape = _SHAPES.get(kind) if isinstance(kind, str) else None
    if shape is None:
        raise IntegrityError.of("unknown_line", f"no record is of kind {kind!r}", file=file, line=line, path="$.kind")
    try:
        shape.validate_python(data)
    except ValidationError as error:
        raise IntegrityError(*problems_of(error, file=file, line=line)) from None
    for name in _NEVER_NULL:
        if name in data and data[name] is None:
            raise _wrong("must be absent where it says nothing, not null", f"$.{name}", file, line)
    if kind != "skip" and not refused(data) and ("result" in data) == ("error" in data):
        raise _wrong("a record has either a result or an error", "$.result", file, line)
    for index, trial in enumerate(data.get("trials", ())):
        if (trial.get("probabilities") is None) == (trial.get("error") is None) or len(trial) != 1:
            raise _wrong("a trial has either probabilities or an error", f"$.trials[{index}]", file, line)
    checked: JsonObject = data
    return checked


def refused(record: JsonObject) -> bool:
    """Whether an oracle refused a pair's candidate, so that it was never sent."""
    validation = record.get("validation")
    return isinstance(validation, dict) and validation.get("status") != "valid"


def _wrong(message: str, path: str, file: str, line: int) -> IntegrityError:
    return IntegrityError(Problem(code="wrong_value", message=message, file=file, line=line, path=path))
