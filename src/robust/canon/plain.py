"""From any Python value to plain, detached JSON data, or to the paths of what is not portable."""

from __future__ import annotations

import json
import re
from typing import Any, TypeAlias

from robust.errors import DataError, Problem

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"
JsonObject: TypeAlias = dict[str, Any]

MAX_DEPTH = 200
# What becomes a part of a record leaves room for what is put around it, so that the whole stays within the limit.
MAX_PART_DEPTH = 180
MAX_SAFE_INTEGER = 2**53 - 1
_SIMPLE_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z")
_MISSING = object()


def join_path(path: str, part: str | int) -> str:
    """Extend a JSON path by a key or an index: ``$`` and ``a`` give ``$.a``, ``$`` and ``0`` give ``$[0]``."""
    if isinstance(part, int):
        return f"{path}[{part}]"
    if _SIMPLE_KEY.match(part):
        return f"{path}.{part}"
    shown = part if len(part) <= 80 else part[:80] + "…"
    return f"{path}[{json.dumps(shown)}]"


def exact_text(value: Any) -> Any:
    """Text as an exact ``str``, without what its class overrides; anything else as it is."""
    kind = type(value)
    return str.__str__(value) if kind is not str and issubclass(kind, str) else value


def type_name(value: object) -> str:
    """The name of a value's type, cut at 100 characters, whatever its metaclass says."""
    name: str = type.__dict__["__name__"].__get__(type(value))
    return name[:100]


def describe(value: object) -> str:
    """A short, safe name of a value's kind for error messages, never its content."""
    names = {bool: "a boolean", int: "an integer", float: "a number", str: "text", list: "a list", dict: "an object"}
    if value is None:
        return "null"
    return names.get(type(value), f"a value of type {type_name(value)}")


class _Copier:
    """Copies a value into exact JSON types, noting each part that cannot be portable JSON."""

    def __init__(self, max_depth: int) -> None:
        self.problems: list[Problem] = []
        self.max_depth = max_depth

    def refuse(self, path: str, message: str, hint: str | None = None) -> object:
        self.problems.append(Problem(code="not_portable", message=message, path=path, hint=hint))
        return _MISSING

    def copy(self, value: object, path: str, depth: int) -> Any:
        # The true type counts and not ``__class__``, and unbound methods of the built-in types are used throughout, so
        # that no override has a say.
        kind: Any = type(value)
        content: Any = value
        if value is None or value is True or value is False:
            return value
        if issubclass(kind, str):
            return self.text(content, path)
        if issubclass(kind, int):
            return self.integer(int.__index__(content), path)
        if issubclass(kind, float):
            return self.number(float.__add__(content, 0.0), path)
        if not issubclass(kind, dict | list | tuple):
            return self.refuse(path, f"{describe(value)} is not JSON", "use text, numbers, booleans, lists or objects")
        if depth >= self.max_depth:
            return self.refuse(path, f"nested deeper than {self.max_depth} levels", "flatten the value")
        if issubclass(kind, dict):
            return self.mapping(content, path, depth)
        items = list.__iter__(content) if issubclass(kind, list) else tuple.__iter__(content)
        copied = [self.copy(item, join_path(path, index), depth + 1) for index, item in enumerate(items)]
        return [item for item in copied if item is not _MISSING]

    def text(self, value: str, path: str) -> Any:
        try:
            return str.encode(value, "utf-8").decode("utf-8")
        except UnicodeEncodeError as error:
            return self.refuse(path, f"text holds a lone surrogate at position {error.start}", "store valid Unicode")

    def integer(self, value: int, path: str) -> Any:
        if -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER:
            return value
        exact = double_of_integer(value)
        if exact is None:
            return self.refuse(path, "an integer beyond ±(2^53−1) does not survive JSON", "store it as text")
        return exact

    def number(self, value: float, path: str) -> Any:
        if value != value or value in (float("inf"), float("-inf")):
            return self.refuse(path, "NaN and Infinity are not JSON", "use null, or text that says what happened")
        if value.is_integer() and -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER:
            return int(value)
        return value

    def mapping(self, value: dict[Any, Any], path: str, depth: int) -> JsonObject:
        copied: JsonObject = {}
        for key, item in dict.items(value):
            if not issubclass(type(key), str):
                self.refuse(path, f"an object key is {describe(key)}", "use text keys")
                continue
            name = self.text(key, path)
            if name is _MISSING:
                continue
            if name in copied:
                self.refuse(join_path(path, name), "two keys are the same text", "keep one")
                continue
            result = self.copy(item, join_path(path, name), depth + 1)
            if result is not _MISSING:
                copied[name] = result
        return copied


def double_of_integer(value: int) -> float | None:
    """The double that canonical JSON writes back as the very same digits, or None."""
    # Canonical JSON writes integral doubles in full only below 1e21.
    if abs(value) >= 10**21:
        return None
    import rfc8785

    double = float(value)
    return double if rfc8785.dumps(double) == b"%d" % value else None


def plain_parts(value: object, path: str = "$", max_depth: int = MAX_DEPTH) -> tuple[Any, tuple[Problem, ...]]:
    """Copy the portable parts of a value and list what had to be left out.

    Returns:
        the detached copy (None where the value itself is not portable) and one problem for each part left out.
    """
    copier = _Copier(max_depth)
    try:
        copied = copier.copy(value, path, 0)
    except RecursionError:  # pragma: no cover - the depth limit comes first on every supported interpreter
        copied = copier.refuse(path, f"nested deeper than {max_depth} levels", "flatten the value")
    return (None if copied is _MISSING else copied), tuple(copier.problems)


def plain(value: object, path: str = "$") -> JsonValue:
    """Copy a value into exact, detached JSON types.

    Subclasses of text, numbers, lists and dicts are read by their built-in content; tuples become lists.

    Raises:
        DataError: code ``not_portable``, one problem for each part that is not portable JSON, with its path.
    """
    copied, problems = plain_parts(value, path)
    if problems:
        raise DataError(*problems)
    result: JsonValue = copied
    return result
