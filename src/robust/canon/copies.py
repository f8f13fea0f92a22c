"""Copies and keys of plain values, by way of their binary form."""

from __future__ import annotations

import re
from typing import Any

import ormsgpack

# Everything but the built-in types is refused, and so is a tuple, which would come back as a list.
_EXACT = (
    ormsgpack.OPT_PASSTHROUGH_SUBCLASS
    | ormsgpack.OPT_PASSTHROUGH_DATACLASS
    | ormsgpack.OPT_PASSTHROUGH_DATETIME
    | ormsgpack.OPT_PASSTHROUGH_ENUM
    | ormsgpack.OPT_PASSTHROUGH_UUID
    | ormsgpack.OPT_PASSTHROUGH_TUPLE
)
_SORTED = _EXACT | ormsgpack.OPT_SORT_KEYS
# What a packed object starts with, and much else besides: text may hold these too, which only costs time.
_OBJECT = re.compile(rb"[\x80-\x8f\xde\xdf]")
_NOT_BYTES = frozenset((bytearray, memoryview))
# A packed NaN; never an infinity. There are many, with signs and payloads of their own, and all of them are NaN. A
# number beside others may look like one, which only costs time.
_NAN = re.compile(rb"\xcb[\x7f\xff](?:\xf0(?!\0{6})|[\xf1-\xff])", re.DOTALL)


def pack_exactly(value: Any, *, sorted_keys: bool = False) -> bytes | None:
    """The binary form of a value of exact JSON types, from which an equal one of the same types can be made.

    Two values have the same form if, and only if, they are equal and of the same types throughout.

    Args:
        value: any value.
        sorted_keys: whether the order of keys does not matter; an object then has another order in the copy.

    Returns:
        None for a value that holds anything but text, numbers, booleans, None, bytes, lists and dicts with text keys,
        or an integer of more than 64 bits, or NaN, which has more than one binary form.
    """
    try:
        packed = ormsgpack.packb(value, None, _SORTED if sorted_keys else _EXACT)
    except (TypeError, RecursionError):
        return None
    return None if _is_inexact(packed, value) else packed


def pack_with_key(value: Any) -> tuple[bytes, bytes] | None:
    """The binary form of a value, and the one in which the order of keys does not matter; see :func:`pack_exactly`."""
    try:
        packed = ormsgpack.packb(value, None, _EXACT)
        if _is_inexact(packed, value):
            return None
        keyed = type(value) is dict or _OBJECT.search(packed)
        return packed, ormsgpack.packb(value, None, _SORTED) if keyed else packed
    except (TypeError, RecursionError):
        return None


def _is_inexact(packed: bytes, value: Any) -> bool:
    """Whether a value that was packed holds NaN, or a buffer that would come back as bytes."""
    # A number with a fraction, and bytes, start with these, and much else does. To look for one byte takes next to no
    # time, which most values need no more of.
    if 0xCB in packed and _NAN.search(packed):
        return True
    return (0xC4 in packed or 0xC5 in packed or 0xC6 in packed) and _holds_buffer(value)


def _holds_buffer(value: Any) -> bool:
    """Whether anything in a value that was packed is bytes of another kind than ``bytes``."""
    kind = type(value)
    if kind is dict:
        value = value.values()
    elif kind is not list:
        return kind in _NOT_BYTES
    kinds = set(map(type, value))
    if kinds & _NOT_BYTES:
        return True
    return bool(kinds & {list, dict}) and any(map(_holds_buffer, value))


# A fresh value from a binary form that was made here.
copy_of_packed = ormsgpack.unpackb
