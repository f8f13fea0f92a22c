"""The shape of a line of the records of a relation check; what its values imply is derived elsewhere."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import Field, ValidationError

from robust.canon import MAX_SAFE_INTEGER, JsonObject
from robust.errors import IntegrityError
from robust.records.base import Record, problems_of

Id = Annotated[str, Field(min_length=1)]
Number = Annotated[int, Field(ge=0, le=MAX_SAFE_INTEGER)]
# JSON numbers without a fraction are read as integers.
Share = Annotated[float, Field(ge=0, le=1, strict=False)]


class _Validation(Record):
    oracle: str
    status: Literal["valid", "invalid", "unknown"]
    issues: list[str]
    reason: str | None


class _Line(Record):
    id: Id
    observed: dict[str, Any] = Field(default_factory=dict)


class _Input(_Line):
    kind: Literal["input"]
    input: Any


class _Base(_Line):
    kind: Literal["base"]
    input_id: Id
    run: Number
    output: Any = None
    error: str | None = None


class _Test(Record):
    p_value: Share
    smallest_p: Share
    disagreements: Number


class _OfRelation(_Line):
    input_id: Id
    relation: Id


class _Course(_OfRelation):
    kind: Literal["course"]
    base: Literal["declared", "agrees", "differs", "unknown"] | None
    test: _Test | None
    error: str | None


class _OfSample(_OfRelation):
    sample: Number


class _Trial(_OfSample):
    kind: Literal["trial"]
    variant: Any
    validation: _Validation | None = None
    output: Any
    contradicts: bool


class _Skip(_OfSample):
    kind: Literal["skip"]
    reason: Literal["unchanged", "repeated", "not_applicable", "invalid", "unknown"]
    note: str | None = None
    variant: Any = None
    validation: _Validation | None = None


class _Error(_OfSample):
    kind: Literal["error"]
    where: Literal["transform", "oracle", "system", "assertion", "shrink"]
    message: str
    variant: Any = None
    validation: _Validation | None = None
    output: Any = None


class _Confirmation(_OfSample):
    kind: Literal["confirmation"]
    attempt: Number
    before: list[Any]
    after: list[Any]
    p_value: Share
    error: str | None


class _Minimised(_OfSample):
    kind: Literal["minimised"]
    variant: Any
    validation: _Validation | None = None
    after: Annotated[list[Any], Field(min_length=1)]


_SHAPES: Final[dict[object, type[_Line]]] = {
    "input": _Input,
    "base": _Base,
    "course": _Course,
    "trial": _Trial,
    "skip": _Skip,
    "error": _Error,
    "confirmation": _Confirmation,
    "minimised": _Minimised,
}


def check_relation_record(record: JsonObject, line: int) -> JsonObject:
    """The record itself, if it has the shape of its kind.

    Raises:
        IntegrityError: something is missing, unknown or of the wrong kind; names line and path.
    """
    kind = record.get("kind")
    shape = _SHAPES.get(kind) if isinstance(kind, str) else None
    if shape is None:
        known = ", ".join(map(str, _SHAPES))
        raise IntegrityError.of("wrong_value", f"must be one of {known}", line=line, path="$.kind")
    try:
        shape.model_validate(record)
    except ValidationError as error:
        raise IntegrityError(*problems_of(error, line=line)) from None
    return record
