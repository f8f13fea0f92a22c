"""Values of any model as JSON and back, as keys, and as copies."""

from __future__ import annotations

import base64
import copy
import pickle
import re
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from robust.canon import (
    MAX_SAFE_INTEGER,
    JsonObject,
    JsonValue,
    canonical_bytes,
    copy_of_packed,
    describe,
    digest_value,
    hash_bytes,
    pack_exactly,
    type_name,
)
from robust.errors import DataError

TYPE: Final = "$type"
DICT: Final = "$dict"
OPAQUE: Final = "$opaque"
# Records leave room for what is put around a value.
MAX_STORED_DEPTH: Final = 80
MAX_SHOWN: Final = 2000
_ATOMS: Final = frozenset((str, int, float, bool, type(None), bytes, Decimal, Fraction, date, datetime, time, complex))
_ADDRESS: Final = re.compile(r"\bat 0x[0-9a-fA-F]+")
_ARRAY_KINDS: Final = "biufcSUmM"


def stored(value: Any) -> JsonValue:
    """A value as portable JSON, from which :func:`thawed` makes an equal one of the same types.

    Text, booleans, None, integers up to 2^53 − 1, numbers with a fraction, lists, and dicts with text keys stay what
    they are. Other numbers, tuples, sets, bytes, decimals, fractions, dates and times, numpy's scalars and arrays
    become ``{"$type": …}``; a dict with another key, or one that begins with ``$``, becomes ``{"$dict": [[key, value],
    …]}``. Anything else becomes ``{"$opaque": {"type", "text"}}``, which can be shown but not made again.
    """
    return _stored(value, 0)


def thawed(data: JsonValue) -> Any:
    """The value that :func:`stored` made JSON of.

    Raises:
        DataError: code ``opaque_value`` where a part of it can only be shown; ``wrong_value`` where it is malformed.
    """
    try:
        return _thawed(data)
    except (KeyError, TypeError, ValueError, OverflowError, ArithmeticError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError.of("wrong_value", f"this is no stored value: {type(error).__name__}: {error}") from None


def is_opaque(data: JsonValue) -> bool:
    """Whether a stored value, or a part of it, can only be shown."""
    if isinstance(data, list):
        return any(map(is_opaque, data))
    return isinstance(data, dict) and (OPAQUE in data or any(map(is_opaque, data.values())))


def digest_of(value: Any) -> str:
    """The digest of a value's stored form."""
    return digest_value(stored(value))


def key_of_value(value: Any) -> bytes:
    """What two values share if they are the same; kept in memory, never written.

    Values that can only be shown have equal keys only if everything in them is equal.
    """
    packed = pack_exactly(value, sorted_keys=True)
    if packed is not None:
        return packed
    form = stored(value)
    if not is_opaque(form):
        return b"s" + hash_bytes(canonical_bytes(form))
    try:
        # Equal bytes come of equal contents; the other way round does not matter here, nor is it ever read back.
        return b"p" + hash_bytes(pickle.dumps(value, 4))
    except Exception:  # noqa: BLE001 - whatever a class does when it is pickled
        return b"i%d" % id(value)


def detached(value: Any) -> Any:
    """A copy that shares nothing with the value that could be changed.

    Raises:
        DataError: it cannot be copied.
    """
    if type(value) in _ATOMS:
        return value
    packed = pack_exactly(value)
    if packed is not None:
        return copy_of_packed(packed)
    try:
        return copy.deepcopy(value)
    except Exception as error:  # noqa: BLE001 - whatever a class does when it is copied
        message = f"{describe(value)} cannot be copied: {type(error).__name__}: {error}"
        hint = "give plain values, or objects that copy.deepcopy can copy"
        raise DataError.of("not_copyable", message, hint=hint) from None


def shown_text(value: Any) -> str:
    """The ``repr`` of a value, capped, without addresses in memory, and valid Unicode."""
    try:
        text = repr(value)
    except Exception as error:  # noqa: BLE001 - whatever a class does when it is shown
        text = f"<repr raised {type(error).__name__}>"
    text = _ADDRESS.sub("at 0x…", text[: 2 * MAX_SHOWN])
    text = text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"
    return text.encode("utf-8", "replace").decode("utf-8")


def _stored(value: Any, depth: int) -> JsonValue:
    kind = type(value)
    if value is None or isinstance(value, bool):
        return value
    if kind is str:
        return _stored_text(value)
    if kind is int:
        # In hexadecimal digits, which no limit on digits holds up.
        return value if abs(value) <= MAX_SAFE_INTEGER else {TYPE: "int", "value": hex(value)}
    if kind is float:
        plain = not value.is_integer() and value - value == 0
        return value if plain else {TYPE: "float", "value": repr(value)}
    if depth >= MAX_STORED_DEPTH:
        return _opaque(value)
    if kind is list:
        return [_stored(item, depth + 1) for item in value]
    if kind is dict:
        return _stored_dict(value, depth)
    encode = _ENCODERS.get(kind)
    if encode is not None:
        return encode(value, depth)
    if kind.__module__ == "numpy" and (array := _stored_array(value, depth)) is not None:
        return array
    return _opaque(value)


def _opaque(value: Any) -> JsonObject:
    name = f"{getattr(type(value), '__module__', '?')}.{type_name(value)}"
    return {OPAQUE: {"type": name.encode("utf-8", "replace").decode("utf-8"), "text": shown_text(value)}}


def _stored_text(value: str) -> JsonValue:
    if value.isascii():
        return value
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return {TYPE: "str", "base64": _base64(value.encode("utf-8", "surrogatepass"))}
    return value


def _stored_dict(value: dict[Any, Any], depth: int) -> JsonObject:
    if all(type(key) is str and key[:1] != "$" and isinstance(_stored_text(key), str) for key in value):
        return {key: _stored(item, depth + 1) for key, item in value.items()}
    pairs: list[JsonValue] = [[_stored(key, depth + 2), _stored(item, depth + 2)] for key, item in value.items()]
    return {DICT: sorted(pairs, key=canonical_bytes)}


def _items(name: str, *, ordered: bool) -> Callable[[Any, int], JsonObject]:
    def encode(value: Any, depth: int) -> JsonObject:
        items = [_stored(item, depth + 2) for item in value]
        return {TYPE: name, "items": items if ordered else sorted(items, key=canonical_bytes)}

    return encode


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _binary(name: str) -> Callable[[Any, int], JsonObject]:
    return lambda value, _: {TYPE: name, "base64": _base64(bytes(value))}


def _moment(name: str) -> Callable[[Any, int], JsonObject]:
    def encode(value: Any, _: int) -> JsonObject:
        return {TYPE: name, "value": value.isoformat(), **({"fold": 1} if getattr(value, "fold", 0) else {})}

    return encode


_ENCODERS: Final[dict[type, Callable[[Any, int], JsonObject]]] = {
    tuple: _items("tuple", ordered=True),
    set: _items("set", ordered=False),
    frozenset: _items("frozenset", ordered=False),
    bytes: _binary("bytes"),
    bytearray: _binary("bytearray"),
    Decimal: lambda value, _: {TYPE: "Decimal", "value": str(value)},
    Fraction: lambda value, _: {TYPE: "Fraction", "value": [hex(value.numerator), hex(value.denominator)]},
    complex: lambda value, _: {TYPE: "complex", "value": [repr(value.real), repr(value.imag)]},
    date: _moment("date"),
    datetime: _moment("datetime"),
    time: _moment("time"),
    timedelta: lambda value, _: {TYPE: "timedelta", "value": [value.days, value.seconds, value.microseconds]},
}


def _stored_array(value: Any, depth: int) -> JsonObject | None:
    """One of numpy's scalars or plain arrays; None for what records do not hold, such as masks and named fields."""
    import numpy as np

    kind = type(value)
    if kind is np.ndarray and value.dtype == object:
        items = [_stored(item, depth + 2) for item in value.ravel()]
        return {TYPE: "numpy.ndarray", "dtype": "O", "shape": list(value.shape), "items": items}
    if kind is not np.ndarray and not isinstance(value, np.generic):
        return None
    if value.dtype.kind not in _ARRAY_KINDS or value.dtype.names is not None or value.dtype == np.longdouble(0).dtype:
        return None
    little = np.ascontiguousarray(value, dtype=value.dtype.newbyteorder("<"))
    form: JsonObject = {"dtype": little.dtype.str, "base64": _base64(little.tobytes())}
    if kind is np.ndarray:
        return {TYPE: "numpy.ndarray", "shape": list(value.shape), **form}
    return {TYPE: "numpy.scalar", **form, "text": shown_text(value.item())}


def _thawed(data: JsonValue) -> Any:
    if isinstance(data, list):
        return [_thawed(item) for item in data]
    if not isinstance(data, dict):
        return data
    if OPAQUE in data:
        message = "this value was of a class of its own, and a record can only show it"
        raise DataError.of("opaque_value", message, hint="let the system give plain values")
    if DICT in data:
        return {_thawed(key): _thawed(item) for key, item in _list(data[DICT])}
    if TYPE in data:
        return _DECODERS[str(data[TYPE])](data)
    return {key: _thawed(item) for key, item in data.items()}


def _list(data: Any) -> list[Any]:
    if not isinstance(data, list):
        raise TypeError("not a list")
    return data


def _bytes_of(data: JsonObject) -> bytes:
    return base64.b64decode(data["base64"], validate=True)


def _moment_of(kind: Any) -> Callable[[JsonObject], Any]:
    def decode(data: JsonObject) -> Any:
        value = kind.fromisoformat(data["value"])
        return value.replace(fold=1) if data.get("fold") else value

    return decode


def _array_of(data: JsonObject) -> Any:
    import numpy as np

    shape = tuple(_list(data["shape"]))
    if data["dtype"] == "O":
        items = _list(data["items"])
        array = np.empty(len(items), dtype=object)
        for place, item in enumerate(items):
            array[place] = _thawed(item)
        return array.reshape(shape)
    return np.frombuffer(_bytes_of(data), dtype=_dtype_of(data)).reshape(shape).copy()


def _dtype_of(data: JsonObject) -> Any:
    import numpy as np

    dtype = np.dtype(data["dtype"])
    if dtype.kind not in _ARRAY_KINDS or dtype.names is not None:
        raise ValueError(f"arrays of {dtype} are not stored")
    return dtype


_DECODERS: Final[dict[str, Callable[[JsonObject], Any]]] = {
    "str": lambda data: _bytes_of(data).decode("utf-8", "surrogatepass"),
    "int": lambda data: int(data["value"], 16),
    "float": lambda data: float(data["value"]),
    "tuple": lambda data: tuple(_thawed(item) for item in _list(data["items"])),
    "set": lambda data: {_thawed(item) for item in _list(data["items"])},
    "frozenset": lambda data: frozenset(_thawed(item) for item in _list(data["items"])),
    "bytes": _bytes_of,
    "bytearray": lambda data: bytearray(_bytes_of(data)),
    "Decimal": lambda data: Decimal(data["value"]),
    "Fraction": lambda data: Fraction(int(data["value"][0], 16), int(data["value"][1], 16)),
    "complex": lambda data: complex(float(data["value"][0]), float(data["value"][1])),
    "date": _moment_of(date),
    "datetime": _moment_of(datetime),
    "time": _moment_of(time),
    "timedelta": lambda data: timedelta(*_list(data["value"])),
    "numpy.ndarray": _array_of,
    "numpy.scalar": lambda data: _array_of({**data, "shape": [1]})[0],
}
