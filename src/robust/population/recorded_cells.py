"""Whether the cells of a record can be what a transformation did: derived again where its settings tell."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from robust.canon import JsonObject, JsonValue, describe
from robust.errors import IntegrityError
from robust.population.cell_changes import shown_alike

# Of a pair, from and to: what it must be, if it is not that.
PairRule: TypeAlias = Callable[[JsonValue, JsonValue], "str | None"]
# Cells that JSON holds as text, such as a number of more than 64 bits, are compared to so many digits.
_CLOSE: Final = 1e-9
# What each edit of a column takes besides its column.
_TAKES: Final[dict[str, tuple[str, ...]]] = {
    "case": ("to",),
    "typos": ("count",),
    "punctuation": (),
    "accents": (),
    "replaced": ("mapping",),
    "scaled": ("factor",),
    "shifted": ("by",),
    "noise": ("spread",),
}
_DUE: Final = "the changed cells, from and to"
_SETTINGS: Final = "$.transformation.settings"


class RecordedCells:
    """What a transformation says of the cells of a row.

    Args:
        transformation: as it stands in a plan.

    Raises:
        IntegrityError: a setting is none that the transformation takes.
    """

    def __init__(self, transformation: JsonObject) -> None:
        name, settings = str(transformation["name"]), transformation["settings"]
        # A function has no settings, and may be called like an edit.
        self._edits = bool(settings)
        if self._edits and name not in _TAKES:
            raise IntegrityError.of("wrong_value", f"there is no edit {name!r}", path="$.transformation.name")
        if self._edits and set(settings) != {"column", *_TAKES[name]}:
            message = f"must be of {', '.join(('column', *_TAKES[name]))}"
            raise IntegrityError.of("wrong_value", message, path=_SETTINGS)
        column = settings.get("column")
        if isinstance(column, bool) or not (column is None or isinstance(column, str | int)):
            raise _odd("column", "the name of a column", column)
        self._key = None if column is None else str(column)
        self._rule = _rule_of(name, settings) if self._edits else None

    def problem(self, given: JsonValue) -> str | None:
        """What the cells of a record must be, if they are not that."""
        if not isinstance(given, dict):
            return _DUE
        cells: dict[str, Any] = given
        if not cells or not all(isinstance(pair, list) and len(pair) == 2 for pair in cells.values()):
            return _DUE
        if any(shown_alike(pair[0], pair[1]) for pair in cells.values()):
            return "the changed cells, each from one value to another"
        if not self._edits:
            return None
        if len(cells) > 1 or (self._key is not None and self._key not in cells):
            return f"the cell of the column {self._key!r} alone" if self._key is not None else "one cell"
        if self._rule is None:
            return None
        before, after = next(iter(cells.values()))
        return self._rule(before, after)


def _rule_of(name: str, settings: JsonObject) -> PairRule | None:
    """Of an edit that depends on nothing but its cell: how it comes about."""
    if name == "scaled":
        factor = _number_setting(settings, "factor")
        return _of_numbers(lambda number: number * factor, 0.0)
    if name == "shifted":
        by = _number_setting(settings, "by")
        return _of_numbers(lambda number: number + by, abs(by))
    return _of_mapping(settings.get("mapping")) if name == "replaced" else None


def _number_setting(settings: JsonObject, name: str) -> float:
    value = settings.get(name)
    number = None if isinstance(value, str) else _number(value)
    if number is None or not math.isfinite(number):
        raise _odd(name, "a finite number", value)
    return number


def _of_numbers(edit: Callable[[float], float], size: float) -> PairRule:
    def rule(before: JsonValue, after: JsonValue) -> str | None:
        old, new = _number(before), _number(after)
        if old is None:
            return "from a number to another"
        due = edit(old)
        if math.isnan(due) and after is None:
            return None
        if new is not None:
            if isinstance(before, str) or isinstance(after, str):
                nearly = math.isclose(new, due, rel_tol=_CLOSE, abs_tol=_CLOSE * max(size, 0.0))
            else:
                # Whole numbers stay whole; whether a cell was of a type of whole ones JSON does not tell.
                nearly = _stored_as(new, due, old) or (old.is_integer() and math.isfinite(due) and new == round(due))
            if nearly:
                return None
        return f"from {before!r} to {due!r}"

    return rule


def _stored_as(stored: float, due: float, like: float | None = None) -> bool:
    """Whether a number is another, also as one of a shorter type, of which the number ``like`` is."""
    if stored == due:
        return True
    import numpy as np

    with np.errstate(over="ignore"):
        return any(
            float(kind(due)) == stored and (like is None or float(kind(like)) == like)
            for kind in (np.float32, np.float16)
        )


def _of_mapping(mapping: JsonValue) -> PairRule:
    given: list[Any] = mapping if isinstance(mapping, list) else []
    pairs: list[list[Any]] = [pair for pair in given if isinstance(pair, list) and len(pair) == 2]
    if not pairs or len(pairs) < len(given):
        raise _odd("mapping", "pairs, from and to", mapping)
    values = {_key(old): new for old, new in pairs}
    # A key such as a Decimal is text in JSON, and equal to a number.
    for old, new in pairs:
        number = _number(old) if isinstance(old, str) else None
        if number is not None:
            values.setdefault(_key(number), new)

    def rule(before: JsonValue, after: JsonValue) -> str | None:
        key = _key(before)
        if key not in values and isinstance(before, str):
            key = _key(_number(before))
        if key not in values:
            return "from a value that the mapping names"
        due = values[key]
        # A column may hold texts alone; and what JSON shows like the value before is shown with its type.
        alike = after == due or str(after) == str(due)
        if shown_alike(before, due) and isinstance(after, str):
            alike = after.endswith(f" {due}")
        if not alike and isinstance(after, int | float) and isinstance(due, int | float):
            alike = _stored_as(float(after), float(due))
        return None if alike else f"from {before!r} to {due!r}"

    return rule


def _key(value: Any) -> tuple[bool, Any]:
    """A value that can be looked up: True is not 1."""
    return isinstance(value, bool), repr(value) if isinstance(value, list | dict) else value


def _number(value: Any) -> float | None:
    """The number that a cell holds, also as text; None where it holds none."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def _odd(name: str, due: str, value: Any) -> IntegrityError:
    shown = describe(value)
    return IntegrityError.of("wrong_value", f"must be {due}, not {shown}", path=f"{_SETTINGS}.{name}")
