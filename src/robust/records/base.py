"""What all records share: frozen, keyword-only, unknown fields refused, errors with an address."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, ValidationError

from robust.canon import JsonObject, join_path
from robust.errors import Problem

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails


class Record(BaseModel):
    """A frozen record that is written to, and read from, canonical JSON."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False, defer_build=True)

    def to_json(self) -> JsonObject:
        """The record as plain JSON data, every field present."""
        data: JsonObject = self.model_dump(mode="json")
        return data


def problems_of(
    error: ValidationError, *, file: str | None = None, line: int | None = None, path: str = "$"
) -> tuple[Problem, ...]:
    """One problem for each thing that a model refused, with its JSON path."""
    return tuple(
        Problem(
            code=_code(detail["type"]),
            message=_message(detail),
            file=file,
            line=line,
            path=path_of(detail["loc"], path),
        )
        for detail in error.errors(include_url=False)
    )


def path_of(location: Sequence[str | int], root: str = "$") -> str:
    """The JSON path of a model's error location."""
    path = root
    for part in location:
        path = join_path(path, part)
    return path


def _code(kind: str) -> str:
    return {"extra_forbidden": "unknown_field", "missing": "missing_field"}.get(kind, "wrong_value")


def _message(detail: ErrorDetails) -> str:
    if detail["type"] == "extra_forbidden":
        return "no such field"
    if detail["type"] == "missing":
        return "the field is missing"
    message = detail["msg"].removeprefix("Value error, ")
    shown = repr(detail["input"])
    return f"{message} (found {shown if len(shown) <= 120 else shown[:119] + '…'})"


def unknown_fields(data: Iterable[Any], known: Iterable[str], path: str) -> list[Problem]:
    """One problem for each key that is not a known field."""
    allowed = set(known)
    return [
        Problem(code="unknown_field", message="no such field", path=join_path(path, str(key)))
        for key in data
        if key not in allowed
    ]
