"""The one strict JSON reader, and the even stricter one for lines that must already be canonical."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NoReturn

import orjson

from robust.canon.encode import canonical_bytes, encode_exact, holds_double
from robust.canon.plain import MAX_DEPTH, MAX_PART_DEPTH, JsonObject, JsonValue
from robust.canon.scan import number_of, scan_nodes, value_of
from robust.errors import DataError, IntegrityError

MAX_DOCUMENT_BYTES = 64 * 1024 * 1024
_BOM = b"\xef\xbb\xbf"


class _Refused(ValueError):
    """The fast reader met something that the scanner must look at."""


def _object(pairs: list[tuple[str, Any]]) -> JsonObject:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _Refused
    return members


def _number(literal: str) -> int | float:
    value = number_of(literal)
    if value is None:
        raise _Refused
    return value


def _constant(_literal: str) -> NoReturn:
    raise _Refused


# The C scanner of the standard library tells of duplicate keys through its hook; orjson cannot.
_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_int=_number, parse_float=_number, parse_constant=_constant)


def decode_utf8(data: bytes, *, file: str | None = None, line: int = 1, mark: bool = True) -> str:
    """Decode UTF-8; a byte order mark at the start is dropped unless ``mark`` is false, where it is text.

    Raises:
        DataError: code ``not_utf8``, with the line and column (in bytes) of the first bad byte.
    """
    if mark and data.startswith(_BOM):
        data = data[3:]
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        lines = data.count(b"\n", 0, error.start)
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise DataError.of(
            "not_utf8",
            f"byte 0x{data[error.start]:02x} is not UTF-8",
            file=file,
            line=line + lines,
            column=column,
            hint="save the file as UTF-8",
        ) from None


def read_json(
    data: bytes | str,
    *,
    file: str | None = None,
    line: int = 1,
    max_bytes: int = MAX_DOCUMENT_BYTES,
    max_depth: int = MAX_DEPTH,
) -> JsonValue:
    """Read one JSON document strictly.

    Refused are duplicate keys, NaN and Infinity, numbers that do not survive, lone surrogates, nesting beyond
    ``max_depth`` and documents beyond ``max_bytes``. An integer literal beyond ±(2^53−1) is read as a double if
    canonical JSON writes that double back as the same literal.

    Args:
        data: UTF-8 bytes (a byte order mark is allowed at the start of line 1) or text.
        file: the name that errors give.
        line: the number of the document's first line, for errors.
        max_bytes: the largest document, in bytes.
        max_depth: the deepest nesting of lists and objects.

    Raises:
        DataError: with file, line, column and JSON path of the first thing that is wrong.
    """
    if len(data) > max_bytes:
        raise DataError.of(
            "too_large", f"the document has over {max_bytes} bytes", file=file, line=line, hint="split it"
        )
    if isinstance(data, bytes):
        value = _plainly_read(data, max_depth)
        if value is not None:
            return value
    # In a later line of a file it is no mark of the file's encoding.
    text = decode_utf8(data, file=file, line=line, mark=line == 1) if isinstance(data, bytes) else data
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return _scan(text, file, line, max_depth)
    # The C scanner lets lone surrogates and any depth pass; both are rare enough to be looked at closely.
    suspicious = "\\u" in text or not text.isascii() or text.count("{") + text.count("[") > max_depth
    return _scan(text, file, line, max_depth) if suspicious and not _harmless(value, max_depth) else value


def _plainly_read(data: bytes, max_depth: int) -> JsonValue | None:
    """The value of a document that needs no closer look, as most do; None for any other (and for ``null``).

    Without a backslash every quotation mark begins or ends a text. An object that lost a member to another of the same
    name lost at least the text of its key, so that fewer texts are in the value than stand in the document.
    """
    if b"\\" in data:
        return None
    try:
        value: JsonValue = orjson.loads(data)
        if 2 * _texts_in(value) != data.count(b'"'):
            return None
    except (orjson.JSONDecodeError, RecursionError):
        return None
    # Only now that nothing was lost: numbers are left to the slower readers, but for integers that every reader holds.
    exact = encode_exact(value, max_depth)
    return None if exact is None or exact[1] is None or holds_double(exact[1]) else value


def _texts_in(value: Any) -> int:
    """How many texts, keys included, are in a freshly decoded value."""
    kind = type(value)
    if kind is str:
        return 1
    if kind is dict:
        count = len(value)
        for item in value.values():
            inner = type(item)
            if inner is str:
                count += 1
            elif inner is dict or inner is list:
                count += _texts_in(item)
        return count
    return sum(map(_texts_in, value)) if kind is list else 0


def _harmless(value: JsonValue, max_depth: int) -> bool:
    try:
        orjson.dumps(value)
    except orjson.JSONEncodeError:
        return False
    return _depth_within(value, max_depth)


def within_part_depth(data: bytes) -> bool:
    """Whether canonical bytes are nested no deeper than a part of a record may be."""
    # The number of brackets bounds the depth, so that nearly everything is told by counting.
    few = data.count(b"[") + data.count(b"{") <= MAX_PART_DEPTH
    return few or _depth_within(orjson.loads(data), MAX_PART_DEPTH)


def _depth_within(value: JsonValue, allowed: int) -> bool:
    if isinstance(value, dict):
        return allowed > 0 and all(_depth_within(item, allowed - 1) for item in value.values())
    if isinstance(value, list):
        return allowed > 0 and all(_depth_within(item, allowed - 1) for item in value)
    return True


def _scan(text: str, file: str | None, line: int, max_depth: int) -> JsonValue:
    value: JsonValue = value_of(scan_nodes(text, file=file, line=line, max_depth=max_depth))
    return value


def decode_own(data: bytes) -> Any:
    """Decode canonical bytes that this very process encoded, into fresh data. Never for bytes from outside."""
    return orjson.loads(data)


def decode_own_each(pieces: Sequence[bytes]) -> list[Any]:
    """Decode many canonical pieces, as :func:`decode_own` does each."""
    values: list[Any] = orjson.loads(b"[%s]" % b",".join(pieces))
    return values


def parse_canonical(data: bytes, *, file: str | None = None, line: int = 1) -> Any:
    """Parse bytes that must be one canonical JSON value, and prove that they are.

    What parses and encodes back to the same bytes has no duplicate keys and no second spelling, so no slower reader
    is needed for our own files.

    Raises:
        IntegrityError: the bytes are not JSON, or not its canonical form; names the path where one can be named.
    """
    try:
        value = orjson.loads(data)
    except (orjson.JSONDecodeError, RecursionError):
        value = None
    else:
        exact = encode_exact(value)
        if exact is None:
            if _is_canonical(value, data):
                return value
        elif exact[0] == data:
            return value
    try:
        read_json(data, file=file, line=line)
    except DataError as error:
        raise IntegrityError(*error.problems) from None
    raise IntegrityError.of(
        "not_canonical",
        "the line is JSON but not in canonical form",
        file=file,
        line=line,
        hint="the file was edited after it was written; take the original",
    )


def _is_canonical(value: object, data: bytes) -> bool:
    try:
        return canonical_bytes(value) == data
    except DataError:
        return False
