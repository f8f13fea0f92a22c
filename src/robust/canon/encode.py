"""RFC 8785 canonical bytes: a fast path where its output is proven equal, the reference encoder elsewhere."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import Any

import orjson
import ormsgpack

from robust.canon.plain import MAX_DEPTH, MAX_SAFE_INTEGER, plain
from robust.errors import DataError

# Refuses integers beyond ±(2^53−1), and all types but the built-in ones and those that packing refuses.
SORTED = orjson.OPT_SORT_KEYS | orjson.OPT_STRICT_INTEGER
# Refuses all types but the built-in ones and bytes, which orjson refuses.
_EXACT = (
    ormsgpack.OPT_PASSTHROUGH_SUBCLASS
    | ormsgpack.OPT_PASSTHROUGH_DATACLASS
    | ormsgpack.OPT_PASSTHROUGH_DATETIME
    | ormsgpack.OPT_PASSTHROUGH_ENUM
    | ormsgpack.OPT_PASSTHROUGH_UUID
)
# What every packed double starts with. Other things may hold this byte too; without it there is no double.
_DOUBLE = b"\xcb"
# A packed double that is not, by its first byte, surely within 2^-15 ≤ |x| < 2^49, where orjson writes no exponent.
_FAR = re.compile(rb"\xcb(?![\x3f-\x42\xbf-\xc2])")
# Python writes doubles that are nearer to 0 with an exponent.
_SMALL = 1e-4
# The first byte of a character from U+E000 on in UTF-8. Beyond U+D800 UTF-16 order and code point order part.
_HIGH = re.compile(rb"[\xee-\xff]")


def pack(value: object) -> bytes:
    """A binary form of a value: equal for equal values of the same built-in types with keys in the same order.

    Raises:
        TypeError: something in it is neither JSON nor bytes.
    """
    return ormsgpack.packb(value, None, _EXACT)


def unpack(packed: bytes) -> Any:
    """The fresh value of a binary form that this very process made."""
    return ormsgpack.unpackb(packed)


def joined(first: bytes, second: bytes) -> bytes:
    """The binary form of a list of two values, from their binary forms."""
    return b"\x92" + first + second


def with_null_last(packed: bytes, last: object) -> bytes:
    """The binary form of an object whose last member is null, from that of one in which it is ``last``."""
    return packed[: -len(pack(last))] + b"\xc0"


def holds_double(packed: bytes) -> bool:
    """Whether there may be a double in a binary form."""
    return _DOUBLE in packed


def encode_exact(value: object, allowed: int = MAX_DEPTH) -> tuple[bytes, bytes | None] | None:
    """The canonical bytes and the binary form of a value of built-in types; None where the fast path does not hold.

    None also for a value that is nested deeper than ``allowed``. The binary form is None where decoding the bytes gives
    numbers of other types: ``1`` for ``1.0``.

    That both encoders take a value says that it is JSON of exact types (a tuple counts as a list), but for numbers
    and for keys in another order, which are looked at closely where there may be any.
    """
    try:
        packed = ormsgpack.packb(value, None, _EXACT)
        encoded = orjson.dumps(value, None, SORTED)
    except (TypeError, RecursionError):
        return None
    # Each of these tells too much rather than too little: text may look like what is searched for.
    odd = _DOUBLE in packed and (_FAR.search(packed) or _integral(encoded))
    ordered = encoded.isascii() or not _HIGH.search(encoded)
    # Each level takes two brackets, and their number bounds the depth, so that nearly everything is told by counting.
    shallow = len(encoded) < 2 * (allowed + 1) or encoded.count(b"[") + encoded.count(b"{") <= allowed
    if (shallow and ordered and not odd) or is_fast(value, allowed):
        return encoded, packed
    if not (shallow and ordered):
        return None
    try:
        return orjson.dumps(_with_canonical_doubles(value), None, SORTED), None
    except ValueError:
        return None


def _with_canonical_doubles(value: Any) -> Any:
    """A copy of a value of exact types, in which every double that orjson writes otherwise is as it is to be written.

    Raises:
        ValueError: a number is not finite.
    """
    kind = type(value)
    if kind is float:
        if 1e-5 <= abs(value) < 1e16 and not value.is_integer():
            return value
        if abs(value) <= MAX_SAFE_INTEGER and value.is_integer():
            return int(value)
        if value != value or value in (float("inf"), float("-inf")):
            raise ValueError(value)
        return orjson.Fragment(_small(value) if abs(value) < _SMALL else reference_bytes(value))
    if kind is dict:
        return {key: _with_canonical_doubles(item) for key, item in value.items()}
    return [_with_canonical_doubles(item) for item in value] if kind is list or kind is tuple else value


def _small(value: float) -> bytes:
    """The canonical bytes of a double other than 0 that is nearer to 0 than 1e-4.

    Python writes the same shortest digits as ECMAScript, and always an exponent of two digits or more; ECMAScript (7th
    edition, section 7.1.12.1) writes none down to 1e-6, and below that one without leading zeros.
    """
    mantissa, _, exponent = repr(value).partition("e-")
    places = int(exponent)
    if places > 6:
        return f"{mantissa}e-{places}".encode()
    sign, digits = ("-", mantissa[1:]) if mantissa[0] == "-" else ("", mantissa)
    return f"{sign}0.{'0' * (places - 1)}{digits.replace('.', '')}".encode()


def _integral(encoded: bytes) -> bool:
    """Whether there may be an integral double, which orjson writes with ``.0`` and canonical JSON without."""
    return b".0," in encoded or b".0}" in encoded or b".0]" in encoded or encoded.endswith(b".0")


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
            if not allowed or (item and not (ordinary_keys(item) and _are_fast(item.values(), allowed - 1))):
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


def ordinary_keys(value: Iterable[Any]) -> bool:
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
    if type(value) is str:
        try:
            return orjson.dumps(value)
        except orjson.JSONEncodeError:
            pass  # a lone surrogate: the slow path finds its place
    else:
        exact = encode_exact(value)
        if exact is not None:
            return exact[0]
    return reference_bytes(value)


def reference_bytes(value: object) -> bytes:
    """Encode by way of detached plain data and, where the fast path does not apply, the reference encoder."""
    copied = plain(value)
    if type(copied) in (dict, list) and (exact := encode_exact(copied)) is not None:
        return exact[0]
    import rfc8785

    return rfc8785.dumps(copied)


@lru_cache(maxsize=4096)
def canonical_number(value: float) -> bytes:
    """The canonical bytes of a number, as :func:`canonical_bytes` gives them, but faster for most.

    Numbers that are equal have the same ones, whatever their types, so that what was written last is remembered.
    """
    # Within these bounds Python writes the same shortest digits, without an exponent.
    if type(value) is float and not value.is_integer():
        size = abs(value)
        if _SMALL <= size < 1e16:
            return repr(value).encode()
        if size < _SMALL:
            return _small(value)
    if type(value) is int and -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER:
        return b"%d" % value
    return canonical_part(value)


def canonical_numbers(literals: Sequence[bytes]) -> list[float | int] | None:
    """The values of JSON numbers, each in its canonical form; None where one is not, or has to be looked at closely.

    Args:
        literals: of the characters that numbers are made of.
    """
    text = b"[%s]" % b",".join(literals)
    try:
        values: list[float | int] = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    if len(values) != len(literals):
        return None
    try:
        again = orjson.dumps(values, None, SORTED)
        # Nothing so small or so large that the two forms may part, and no whole number written as a double.
        if again == text and not (b"e" in text or b"0.000000" in text or b".0," in text or text.endswith(b".0]")):
            return values
    except orjson.JSONEncodeError:
        pass  # an integer beyond ±(2^53−1), which a double may keep all the same
    try:
        return values if [canonical_number(value) for value in values] == list(literals) else None
    except DataError:
        return None


def canonical_text(value: object) -> str:
    """The canonical form as text."""
    return canonical_bytes(value).decode("utf-8")
