"""Contract scalars: read by what is due at their place, from the text that stands in the file."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Annotated, Any, TypeAlias, TypeVar

from pydantic import BeforeValidator, Field, WithJsonSchema

from robust.canon import canonical_text, describe, plain_parts

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\Z")
_INTEGER = re.compile(r"[+-]?[0-9]+\Z")
_MAX_INTEGER = 2**53 - 1
_JSON_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?\Z")
_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
T = TypeVar("T")


class Written(str):
    """An unquoted scalar, as it is written in the file: what it means depends on what is due at its place."""

    __slots__ = ()


def as_label(value: object) -> str:
    """A label: the text as written; a JSON number is the text of that number."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return canonical_text(value)
    raise ValueError(f"a label is text, not {describe(value)}")


def as_text(value: object) -> str:
    """Text, quoted or not."""
    if isinstance(value, str):
        return str(value)
    raise ValueError(f"text is due, not {describe(value)}")


def as_number(value: object) -> float:
    """A number; quoted text is not one."""
    if isinstance(value, Written):
        if _NUMBER.match(value):
            return float(value)
        raise ValueError(f"a number is due, not {str(value)!r}")
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            raise ValueError("a number is due that a double can hold") from None
    raise ValueError(f"a number is due, not {describe(value)}")


def as_integer(value: object) -> int:
    """A whole number without fraction or exponent, within ±(2^53−1)."""
    if isinstance(value, Written):
        number = int(value) if _INTEGER.match(value) and len(value) <= 20 else None
        shown = repr(str(value))
    else:
        number = value if type(value) is int else None
        shown = describe(value)
    if number is None:
        raise ValueError(f"a whole number is due, not {shown}")
    if abs(number) > _MAX_INTEGER:
        raise ValueError("a whole number is due that every JSON reader can hold, at most 2^53 - 1")
    return number


def as_flag(value: object) -> bool:
    """``true`` or ``false`` and nothing else."""
    if isinstance(value, Written) and value in ("true", "false"):
        return value == "true"
    if isinstance(value, bool):
        return value
    shown = repr(str(value)) if isinstance(value, str) else describe(value)
    raise ValueError(f"true or false is due, not {shown}")


def as_json(value: object) -> Any:
    """A free setting as plain JSON data: an unquoted scalar is null, a boolean or a number where JSON has it so."""
    refused = plain_parts(value)[1]
    if refused:
        raise ValueError(refused[0].message)
    return _as_json(value)


def _as_json(value: Any) -> Any:
    if isinstance(value, Written):
        if value in ("true", "false"):
            return value == "true"
        return None if is_null(value) else _json_scalar(str(value))
    if isinstance(value, dict):
        return {str(key): _as_json(item) for key, item in value.items()}
    return [_as_json(item) for item in value] if isinstance(value, list | tuple) else value


def _json_scalar(text: str) -> Any:
    if not _JSON_NUMBER.match(text):
        return text
    whole = not set(text) & set(".eE")
    number = (int(text) if len(text) <= 20 else math.inf) if whole else float(text)
    if not math.isfinite(number) or (whole and abs(number) > _MAX_INTEGER):
        raise ValueError("a number is due that every JSON reader can hold; quote it to make it text")
    return number


def as_tuple(value: object) -> tuple[Any, ...]:
    """A list."""
    if isinstance(value, list | tuple):
        return tuple(value)
    raise ValueError(f"a list is due, not {describe(value)}")


def unique(what: str) -> Callable[[tuple[str, ...]], tuple[str, ...]]:
    """A check that no item of a list stands twice."""

    def check(items: tuple[str, ...]) -> tuple[str, ...]:
        seen: set[str] = set()
        for item in items:
            if item in seen:
                raise ValueError(f"the {what} {item[:80]!r} stands twice")
            seen.add(item)
        return items

    return check


def is_null(value: object) -> bool:
    """Whether a value is null, or an unquoted null of YAML."""
    return value is None or (isinstance(value, Written) and value in _NULLS)


def null_as_none(value: object) -> object:
    """An unquoted null of YAML, or any other null, as None; everything else as it is."""
    return None if is_null(value) else value


def text_schema(**more: object) -> WithJsonSchema:
    """The JSON Schema of text as it may stand in a file: an editor's reader takes an unquoted 010 or yes for more."""
    return WithJsonSchema({"type": ["string", "number", "boolean"], **more})


OrNull: TypeAlias = Annotated[T | None, BeforeValidator(null_as_none)]
Label: TypeAlias = Annotated[
    str, BeforeValidator(as_label), WithJsonSchema({"type": ["string", "number", "boolean", "null"]})
]
Text: TypeAlias = Annotated[str, BeforeValidator(as_text), text_schema()]
NonEmpty: TypeAlias = Annotated[str, Field(min_length=1), BeforeValidator(as_text), text_schema(minLength=1)]
Number: TypeAlias = Annotated[float, BeforeValidator(as_number)]
Integer: TypeAlias = Annotated[int, BeforeValidator(as_integer)]
Flag: TypeAlias = Annotated[bool, BeforeValidator(as_flag)]
Items: TypeAlias = Annotated[tuple[T, ...], BeforeValidator(as_tuple)]
Share: TypeAlias = Annotated[float, Field(ge=0, le=1), BeforeValidator(as_number)]
NonNegative: TypeAlias = Annotated[float, Field(ge=0), BeforeValidator(as_number)]
Seed: TypeAlias = Annotated[int, Field(ge=-_MAX_INTEGER, le=_MAX_INTEGER), BeforeValidator(as_integer)]
