"""RFC 8785 canonical bytes: a fast path where its output is proven equal, the reference encoder elsewhere."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

import orjson

from robust.canon.plain import MAX_DEPTH, MAX_SAFE_INTEGER, plain

_SORTED = orjson.OPT_SORT_KEYS
_MANY_KEYS = 64
_SIMPLE = frozenset((str, bool, type(None)))


def is_fast(value: object, depth: int = 0) -> bool:
    """Whether orjson's sorted output of a value is known to be its canonical form.

    It is for exact built-in types, integers within ±(2^53−1), non-integral floats with 1e-5 ≤ |x| < 1e16, and keys
    below U+D800 (beyond them UTF-16 order and code point order part). Values are judged before encoding, since the
    output of a NaN or a date looks like valid JSON. Lone surrogates are left to orjson, which refuses them.
    """
    kind = type(value)
    if kind in _SIMPLE:
        return True
    if kind is dict:
        if not _ordinary_keys(value):  # type: ignore[arg-type]
            return False
        return _are_fast(value.values(), depth + 1)  # type: ignore[attr-defined]
    if kind is list:
        return _are_fast(value, depth + 1)  # type: ignore[arg-type]
    if kind is int:
        return -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER  # type: ignore[operator]
    if kind is float:
        return 1e-5 <= abs(value) < 1e16 and not value.is_integer()  # type: ignore[arg-type,attr-defined]
    return False


def _are_fast(items: Collection[object], depth: int) -> bool:
    # Most values are text, and most containers are flat: both are told without a call for each item.
    if depth > MAX_DEPTH:
        return False
    if _SIMPLE.issuperset(map(type, items)):
        return True
    return all([is_fast(item, depth) for item in items if type(item) not in _SIMPLE])  # noqa: C419 - faster as a list


def _ordinary_keys(value: dict[object, object]) -> bool:
    """Whether every key is text below U+D800. orjson itself refuses subclasses of text as keys."""
    keys = tuple(value)
    return _ordinary(keys) if len(keys) <= _MANY_KEYS else _ordinary.__wrapped__(keys)


@lru_cache(maxsize=1024)
def _ordinary(keys: tuple[object, ...]) -> bool:
    # The same few sets of keys come again and again, so the answer for each is kept.
    return all(type(key) is str and (key.isascii() or max(key) < "\ud800") for key in keys)


def canonical_bytes(value: object) -> bytes:
    """Encode a portable value as RFC 8785 canonical JSON.

    ``42`` and ``42.0`` are one number and give the same bytes; ``-0.0`` gives ``0``. Text is never normalised.

    Raises:
        DataError: code ``not_portable``, naming the path of every part that is not portable JSON.
    """
    if type(value) in _SIMPLE or is_fast(value):
        try:
            return orjson.dumps(value, option=_SORTED)
        except (orjson.JSONEncodeError, RecursionError):
            pass  # a lone surrogate: the slow path finds its place
    return reference_bytes(value)


def reference_bytes(value: object) -> bytes:
    """Encode by way of detached plain data and, where the fast path does not apply, the reference encoder."""
    copied = plain(value)
    if is_fast(copied):
        return orjson.dumps(copied, option=_SORTED)
    import rfc8785

    return rfc8785.dumps(copied)  # type: ignore[arg-type]


def canonical_text(value: object) -> str:
    """The canonical form as text."""
    return canonical_bytes(value).decode("utf-8")
