"""Contract scalars: read by what is due at their place, from the text that stands in the file."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeAlias, TypeVar

from pydantic import BeforeValidator, Field

from robust.canon import canonical_text, describe

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\Z")
_INTEGER = re.compile(r"[+-]?[0-9]+\Z")
_MAX_INTEGER = 2**53 - 1
_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
T = TypeVar("T")


class MisfitError(ValueError):
    """Settings that are fine by themselves but do not fit together: where each stands, and what is wrong."""

    def __init__(self, misfits: Sequence[tuple[tuple[str | int, ...], str]]) -> None:
        super().__init__("; ".join(message for _, message in misfits))
        self.misfits = tuple(misfits)


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


def as_tuple(value: object) -> tuple[Any, ...]:
    """A list."""
    if isinstance(value, list | tuple):
        return tuple(value)
    raise ValueError(f"a list is due, not {describe(value)}")


def is_null(value: object) -> bool:
    """Whether a value is null, or an unquoted null of YAML."""
    return value is None or (isinstance(value, Written) and value in _NULLS)


def none_or(convert: Callable[[object], T]) -> Callable[[object], T | None]:
    """Read an unquoted null as None, and everything else by ``convert``."""

    def read(value: object) -> T | None:
        return None if is_null(value) else convert(value)

    return read


Label: TypeAlias = Annotated[str, BeforeValidator(as_label)]
Text: TypeAlias = Annotated[str, BeforeValidator(as_text)]
OptionalText: TypeAlias = Annotated[str | None, BeforeValidator(none_or(as_text))]
Number: TypeAlias = Annotated[float, BeforeValidator(as_number)]
Integer: TypeAlias = Annotated[int, BeforeValidator(as_integer)]
Flag: TypeAlias = Annotated[bool, BeforeValidator(as_flag)]
Labels: TypeAlias = Annotated[tuple[Label, ...], BeforeValidator(as_tuple)]
OptionalLabels: TypeAlias = Annotated[tuple[Label, ...] | None, BeforeValidator(none_or(as_tuple))]
Share: TypeAlias = Annotated[float, Field(ge=0, le=1), BeforeValidator(as_number)]
OptionalShare: TypeAlias = Annotated[Annotated[float, Field(ge=0, le=1)] | None, BeforeValidator(none_or(as_number))]
