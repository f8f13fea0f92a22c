"""Which part of an input a relation changes: all of it, a field of a dict, or what two functions get and set."""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, MutableMapping
from dataclasses import dataclass
from typing import Any, Final

from robust.canon import describe
from robust.errors import DataError, UsageError
from robust.relations.relation import NotApplicable

_MAX_LABEL: Final = 64


@dataclass(frozen=True, slots=True)
class Place:
    """A part of an input.

    Attributes:
        label: what it is called; empty where it is the whole input.
        get: takes it out of an input. It may raise :class:`NotApplicable`.
        put: gives an input in which something else stands there; the given one is not changed.
    """

    label: str
    get: Callable[[Any], Any]
    put: Callable[[Any, Any], Any]


def place_of(
    field: Hashable | None, getter: Callable[[Any], Any] | None, setter: Callable[[Any, Any], Any] | None
) -> Place:
    """The part of an input that a caller named.

    Args:
        field: a key of a dict.
        getter: instead of a field: takes the part out of an input.
        setter: the other half: ``setter(input, part)`` gives the input with another part.

    Raises:
        UsageError: a field and functions are given, or one function without the other.
    """
    if getter is None and setter is None:
        return Place("", _whole, _instead) if field is None else _field(field)
    if field is not None or not callable(getter) or not callable(setter):
        hint = "give field=, or both get= and set=, or none of them for the whole input"
        raise UsageError.of("bad_place", "the part of the input to change is not clear", path="field", hint=hint)
    return Place(_name_of(getter), getter, _Setter(setter))


def _whole(given: Any) -> Any:
    return given


def _instead(_: Any, part: Any) -> Any:
    return part


@dataclass(frozen=True, slots=True)
class _Setter:
    """A caller's function, whose result is looked at: one that changes its argument gives nothing back."""

    function: Callable[[Any, Any], Any]

    def __call__(self, given: Any, part: Any) -> Any:
        changed = self.function(copy.copy(given), part)
        if changed is None:
            hint = "return the input with the new part"
            raise DataError.of("bad_place", "the function that sets the part returned nothing", path="set", hint=hint)
        return changed


def _field(field: Hashable) -> Place:
    label = str(field) if isinstance(field, str | int) else repr(field)

    def get(given: Any) -> Any:
        # Told quickly of what nearly every input is.
        if type(given) is not dict and not isinstance(given, MutableMapping):
            raise NotApplicable(f"the input is no dict with a field {label!r}, but {describe(given)}")
        if field not in given:
            raise NotApplicable(f"the input has no field {label!r}")
        return given[field]

    def put(given: Any, part: Any) -> Any:
        changed = given.copy() if type(given) is dict else copy.copy(given)
        changed[field] = part
        return changed

    return Place(_printable(label), get, put)


def _name_of(getter: Callable[[Any], Any]) -> str:
    """What the function is called, if it has a name of its own."""
    name = getattr(getter, "__name__", "")
    return _printable(name) if name and name != "<lambda>" else "part"


def _printable(label: str) -> str:
    """A label that a relation's name may hold."""
    shown = "".join(character if character.isprintable() else "?" for character in label)
    return shown if len(shown) <= _MAX_LABEL else shown[: _MAX_LABEL - 1] + "…"
