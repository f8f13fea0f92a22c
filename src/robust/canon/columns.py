"""Reading and encoding many values at once, so that each of them costs no call of its own."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from typing import Any, Final

import orjson

from robust.canon.encode import canonical_number
from robust.canon.plain import JsonObject

# Between these orjson writes a number with a fraction as canonical JSON does.
_LEAST: Final = 1e-5
_BEYOND: Final = 1e16
_FLOAT: Final = frozenset((float,))
_OBJECT: Final = frozenset((dict,))
# Within a text a backslash takes the character behind it; elsewhere JSON has none.
_ESCAPE: Final = re.compile(rb"\\.")


def read_objects(lines: Sequence[bytes]) -> list[JsonObject] | None:
    """The objects that lines of JSON hold; None where a line has to be looked at by itself.

    Proven is that no object has two members of one name, but nothing of numbers, nor how deep they are nested.
    """
    try:
        rows = [*map(orjson.loads, lines)]
        if not _OBJECT.issuperset(map(type, rows)):
            return None
        # A member that was lost to another lost at least its key.
        return rows if texts_in(rows) == texts_written(lines) else None
    except (orjson.JSONDecodeError, RecursionError):
        return None


def texts_written(lines: Sequence[bytes]) -> float:
    """How many texts, keys included, stand in lines that are JSON; each has two quotation marks."""
    together = b"\n".join(lines)
    if b"\\" in together:
        together = _ESCAPE.sub(b"", together)
    return together.count(b'"') / 2


def texts_in(values: Collection[Any]) -> int:
    """How many texts, keys included, are in freshly decoded values."""
    count = 0
    for kind, group in _by_kind(values):
        if kind is str:
            count += len(group)
        elif kind is dict:
            count += sum(map(len, group)) + texts_in([*chain.from_iterable(map(dict.values, group))])
        elif kind is list:
            count += texts_in([*chain.from_iterable(group)])
    return count


def _by_kind(values: Collection[Any]) -> Iterable[tuple[type, Collection[Any]]]:
    """Values by their types."""
    kinds = set(map(type, values))
    if len(kinds) == 1:
        return [(kinds.pop(), values)]
    return [(kind, [value for value in values if type(value) is kind]) for kind in kinds]


def encode_texts(texts: Sequence[str]) -> list[bytes]:
    """The canonical bytes of each of some texts of the built-in type, which hold no lone surrogates."""
    together = orjson.dumps(texts)
    if b"\\" in together or not texts:
        return [*map(orjson.dumps, texts)]
    # Without an escape every quotation mark begins or ends a text, and no text holds a line feed.
    return together[1:-1].replace(b'","', b'"\n"').split(b"\n")


def encode_numbers(values: Sequence[float]) -> list[bytes]:
    """The canonical bytes of each of some numbers, as :func:`canonical_number` gives them.

    Raises:
        DataError: one of them is no number of JSON.
    """
    try:
        together = orjson.dumps(values)
    except orjson.JSONEncodeError:  # an integer beyond 64 bits
        return [*map(canonical_number, values)]
    parts = together[1:-1].split(b",") if values else []
    # A NaN, which comparisons may pass over, is written as null.
    if (
        _FLOAT.issuperset(map(type, values))
        and not (b".0," in together or together.endswith(b".0]") or b"n" in together)
        and (not values or (min(values) >= _LEAST and max(values) < _BEYOND))
    ):
        return parts
    return [
        part
        if type(value) is float and _LEAST <= value < _BEYOND and not value.is_integer()
        else canonical_number(value)
        for value, part in zip(values, parts, strict=True)
    ]
