"""Values and outcomes as the records of a check hold them, and how those that do not follow are told."""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

from robust.canon import canonical_bytes, describe
from robust.errors import DataError, IntegrityError, RobustError
from robust.relations.stored_value import is_opaque, thawed

_SHOWN: Final = 200
_SAME: Final = 1e-9
SHOWN_ONLY: Final = object()


class Failing(NamedTuple):
    """A record that shows a contradiction, or that something raised.

    Attributes:
        line: its number.
        id: its id.
        sample: the sample; None where there was none.
        error: what raised; None of a contradiction.
        size: the bytes of its variant; of a minimised one less than of what it was made of.
    """

    line: int
    id: str
    sample: int | None
    error: str | None = None
    size: int = 0


class BaseOutputs(NamedTuple):
    """What the runs of the base gave.

    Attributes:
        values: the outputs; None where one of them can only be shown.
        error: what raised, if anything did.
        failing: the record that tells so.
    """

    values: list[Any] | None
    error: str | None = None
    failing: Failing | None = None


def wrong(line: int, path: str, stored: object, due: object) -> IntegrityError:
    """The error for a stored value that does not follow; names both values."""
    return IntegrityError.of(
        "contradiction", f"{_brief(stored)} is stored, {_brief(due)} follows", line=line, path=path
    )


def _brief(value: object) -> str:
    try:
        text = canonical_bytes(value).decode()
    except RobustError:
        text = describe(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def is_shown_only(value: Any) -> bool:
    """Whether :func:`value_of` could not make a value again."""
    return value is SHOWN_ONLY


def close(one: float, other: float) -> bool:
    """Whether two numbers are the same but for the last digits of a library's own."""
    return math.isclose(one, other, rel_tol=_SAME, abs_tol=_SAME)


def value_of(data: Any, line: int, path: str) -> Any:
    """The value of its stored form; :data:`SHOWN_ONLY` where it can only be shown.

    Raises:
        IntegrityError: it is no stored value.
    """
    if is_opaque(data):
        return SHOWN_ONLY
    try:
        return thawed(data)
    except DataError as error:
        raise IntegrityError.of("wrong_value", error.problems[0].message, line=line, path=path) from None
