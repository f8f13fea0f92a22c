"""RFC 8785 canonical bytes: a fast path where its output is proven equal, the reference encoder elsewhere."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import orjson

from robust.canon.plain import MAX_DEPTH, MAX_SAFE_INTEGER, plain

_SORTED = orjson.OPT_SORT_KEYS


def is_fast(value: Any, allowed: int = MAX_DEPTH) -> bool:
    """Whether orjson's sorted output of a value is known to be its canonical form.

    It is for exact built-in types, integers within ±(2^53−1), non-integral floats with 1e-5 ≤ |x| < 1e16, and keys
    below U+D800 (beyond them UTF-16 order and code point order part). Values are judged before encoding, since the
    output of a NaN or a date looks like valid JSON. Lone surrogates are left to orjson, which refuses them.
    """
    return _are_fast((value,), allowed)


def _are_fast(items: Collection[Any], allowed: int) -> bool:
    # One call for each container and none for a scalar: this is on the path of all that is stored or loaded.
    for item in items:
        kind = type(item)
        if kind is str or item is None or kind is bool:
            continue
        if kind is dict:
            if not allowed or (item and not (_ordinary_keys(item) and _are_fast(item.values(), allowed - 1))):
                return False
        elif kind is list:
            if not allowed or (item and not _are_fast(item, allowed - 1)):
                return False
        elif kind is int:
            if not -MAX_SAFE_INTEGER <= item <= MAX_SAFE_INTEGER:
                return False
        elif kind is not float or not 1e-5 <= abs(item) < 1e16 or item.is_integer():
            return False
    return True


def _ordinary_keys(value: dict[Any, Any]) -> bool:
    """Whether every key is text below U+D800. orjson itself refuses subclasses of text as keys."""
    try:
        characters = "".join(value)
    except TypeError:
        return False
    return characters.isascii() or max(characters) < "\ud800"


def canonical_bytes(value: object) -> bytes:
    """Encode a portable value as RFC 8785 canonical JSON.

    ``42`` and ``42.0`` are one number and give the same bytes; ``-0.0`` gives ``0``. Text is never normalised.

    Raises:
        DataError: code ``not_portable``, naming the path of every part that is not portable JSON.
    """
    # Copied, since orjson returns bytes with kilobytes of unused room behind them, which are kept as long.
    return b"%s" % canonical_part(value)


def canonical_part(value: object) -> bytes:
    """The same bytes, not to be kept but to be spliced into larger ones.

    Raises:
        DataError: see :func:`canonical_bytes`.
    """
    if type(value) is str or is_fast(value):
        try:
            return orjson.dumps(value, None, _SORTED)
        except (orjson.JSONEncodeError, RecursionError):
            pass  # a lone surrogate: the slow path finds its place
    return reference_bytes(value)


def plainly_canonical(value: object, allowed: int) -> bytes | None:
    """The canonical bytes of a value of exact types, nested no deeper than ``allowed``; None for any other."""
    if not _are_fast((value,), allowed):
        return None
    try:
        return b"%s" % orjson.dumps(value, None, _SORTED)
    except (orjson.JSONEncodeError, RecursionError):
        return None


def reference_bytes(value: object) -> bytes:
    """Encode by way of detached plain data and, where the fast path does not apply, the reference encoder."""
    copied = plain(value)
    if is_fast(copied):
        return orjson.dumps(copied, option=_SORTED)
    import rfc8785

    return rfc8785.dumps(copied)


def canonical_text(value: object) -> str:
    """The canonical form as text."""
    return canonical_bytes(value).decode("utf-8")
