"""Many canonical lines proven at once: by columns, so that what is the same for each line costs nothing for each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

import orjson

from robust.canon.encode import SORTED, canonical_bytes, is_fast, ordinary_keys
from robust.canon.plain import MAX_PART_DEPTH, JsonObject

# Of these types orjson writes the canonical form, or refuses the value (an integer that is too large).
_SURE: Final = frozenset((str, int, bool, type(None)))
_OBJECT: Final = frozenset((dict,))


class Members(NamedTuple):
    """What objects are made of: the different rows of keys, and every value that is not simple.

    Simple are text, integers, true, false and null, and lists of these.
    """

    keys: set[tuple[str, ...]]
    others: list[Any]


def decode_objects(lines: Iterable[bytes]) -> list[JsonObject] | None:
    """The objects that lines hold, of which nothing is proven yet; None where a line is no JSON object."""
    try:
        values = list(map(orjson.loads, lines))
    except (orjson.JSONDecodeError, RecursionError):
        return None
    return values if _OBJECT.issuperset(map(type, values)) else None


def members_of(objects: Iterable[JsonObject]) -> Members:
    """The members of objects of built-in types."""
    objects = list(objects)
    return Members(set(map(tuple, objects)), other_values(list(chain.from_iterable(map(dict.values, objects)))))


def other_values(values: Sequence[Any]) -> list[Any]:
    """Those of some values that are not simple."""
    # Mostly there are none, which is seen without a step for each.
    if _SURE.issuperset(map(type, values)):
        return []
    others = [value for value in values if type(value) not in _SURE]
    lists = [value for value in others if type(value) is list]
    if _SURE.issuperset(map(type, chain.from_iterable(lists))):
        return [value for value in others if type(value) is not list]
    return others


def are_canonical(objects: list[JsonObject], lines: Sequence[bytes], members: Members) -> bool:
    """Whether every line is canonical JSON; False also where it has to be looked at more closely.

    The list of the objects is written once and compared with all lines. As no text of an object is the beginning of
    that of another, equal wholes are made of equal lines.

    Args:
        objects: what :func:`decode_objects` made of the lines.
        lines: the lines.
        members: the keys, and the values that are not simple, in all parts of which the caller has seen nothing else;
            of all other parts it has seen that they are simple, below ASCII keys, and at most a few levels deep.
    """
    return _written(objects, members) == b"[%s]" % b",".join(lines)


def encode_many(objects: list[JsonObject], start: bytes, members: Members) -> list[bytes] | None:
    """The canonical bytes of each of many objects; None where they have to be looked at more closely.

    Args:
        objects: values of built-in types.
        start: what the bytes of each of them begin with: an opening brace and more.
        members: see :func:`are_canonical`.
    """
    written = _written(objects, members)
    # In a text quotation marks have a backslash before them, so that only members can look like the start.
    parts = [] if written is None else written[1 + len(start) : -1].split(b"," + start)
    return [start + part for part in parts] if len(parts) == len(objects) else None


def _written(objects: list[JsonObject], members: Members) -> bytes | None:
    """The canonical bytes of the list of some objects, if they are sure to be what orjson writes."""
    # What is nested nearly as deep as is allowed is left to the closer look.
    if not all(map(ordinary_keys, members.keys)) or not is_fast(members.others, MAX_PART_DEPTH - 8):
        return None
    try:
        return orjson.dumps(objects, None, SORTED)
    except (TypeError, RecursionError):
        return None


def canonical_items(values: Sequence[Any]) -> list[bytes]:
    """The canonical bytes of each of some values, which are proven to be of a canonical line."""
    parts = orjson.dumps(values, None, SORTED)[1:-1].split(b",")
    # There is no comma in any of them if there are as many parts.
    return parts if len(parts) == len(values) else list(map(canonical_bytes, values))
