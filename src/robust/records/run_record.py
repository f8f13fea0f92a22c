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


class _Common(Record):
    id: Id
    case_id: Id
    source_id: Id
    input: Shown
    media: list[dict[str, Any]]
    expected: Any
    metadata: dict[str, Any]
    presentation: None
    result: _Result | None = None
    error: _Error | None = None
    observed: dict[str, Any]


class _Decision(_Common):
    kind: Literal["decision"]


class _Pair(_Common):
    kind: Literal["pair"]
    property: Literal["variants"]
    sample: Annotated[int, Field(ge=0)]
    steps: Annotated[list[Any], Field(max_length=0)]
    provenance: _Provenance
    validation: Digest
    comparison: dict[str, Any] | None
    violations: list[str]
    reduced: None


_SHAPES: dict[str, TypeAdapter[Any]] = {"decision": TypeAdapter(_Decision), "pair": TypeAdapter(_Pair)}


def check_shape(data: Any, *, file: str, line: int) -> JsonObject:
    """A record whose fields are all there, of the right kinds, with either a result or an error.

    Raises:
        IntegrityError: something is missing, unknown or of the wrong kind.
    """
    kind = data.get("kind") if isinstance(data, dict) else None
    shape = _SHAPES.get(kind) if isinstance(kind, str) else None
    if shape is None:
        raise IntegrityError.of("unknown_line", f"no record is of kind {kind!r}", file=file, line=line, path="$.kind")
    try:
        shape.validate_python(data)
    except ValidationError as error:
        raise IntegrityError(*problems_of(error, file=file, line=line)) from None
    if ("result" in data) == ("error" in data) or data.get("result", data.get("error")) is None:
        message = "a record has either a result or an error"
        raise IntegrityError(Problem(code="wrong_value", message=message, file=file, line=line, path="$.result"))
    checked: JsonObject = data
    return checked
