"""Whether two outputs are the same: exactly where they are exact, within a tolerance where they are numbers."""

from __future__ import annotations

import dataclasses
import math
import unicodedata
from array import array
from collections import deque
from collections.abc import Mapping
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from enum import Enum
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, Final, NamedTuple, TypeAlias

from robust.canon import describe
from robust.errors import DataError
from robust.relations.tables import Table, is_missing, table_of

Number: TypeAlias = int | float | complex | Decimal | Fraction
# What rounding may do to a floating point number; integers are not rounded.
ROUNDING: Final = 1e-9
_EXACT_KINDS: Final = frozenset((str, int, bool, type(None), bytes))
# What is compared item by item, as lists are, but with its own kind alone.
_ROWS: Final = frozenset((deque, array))
_EXACT_INTEGER: Final = 2**53
# Wide enough that rounding here is nothing beside any tolerance, and without traps, so that nothing overflows.
WIDE: Final = Context(prec=100, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])


class Tolerance(NamedTuple):
    """How far two numbers may lie apart: |a − b| ≤ max(absolute, relative · max(|a|, |b|)).

    A relative tolerance of None is :data:`ROUNDING` where one of them is a floating point number, and 0 where both are
    integers, so that two numbers of an account are never taken for one.
    """

    relative: float | None = None
    absolute: float = 0.0

    def for_integers(self) -> float:
        """The relative tolerance of two integers."""
        return self.relative or 0.0

    def for_floats(self) -> float:
        """The relative tolerance of two numbers of which one was rounded."""
        return ROUNDING if self.relative is None else self.relative


EXACTLY: Final = Tolerance(0.0, 0.0)


def same(one: Any, other: Any, tolerance: Tolerance) -> bool:
    """Whether two outputs are the same.

    Numbers are close within the tolerance; NaN equals NaN, an infinity only itself. A boolean is no number and text is
    none. Lists, tuples and arrays are compared item by item, objects by their keys, sets as sets, dataclasses and
    models by their fields, tables of pandas, polars and pyarrow by names, labels, types and cells, and anything else by
    its own ``==``.

    Raises:
        DataError: they are of a class that does not say when two are equal, or a tolerance cannot be applied.
    """
    kind = type(one)
    if kind is type(other) and kind in _EXACT_KINDS and kind is not int:
        return bool(one == other)
    first, second = as_number(one), as_number(other)
    if first is not None and second is not None:
        return close(first, second, tolerance)
    if first is not None or second is not None:
        return False
    return _same_parts(_plain(one), _plain(other), tolerance)


def as_number(value: Any) -> Number | None:
    """A value as one of Python's numbers, or None where it is none; booleans are none."""
    kind = type(value)
    if kind is float or kind is int:
        number: Number = value
        return number
    if isinstance(value, bool | Enum) and not isinstance(value, int | float):
        return None
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, Decimal) and value.is_snan():
        return Decimal("NaN")  # the other kind raises wherever it is looked at
    if isinstance(value, complex | Decimal | Fraction):
        return value
    if kind.__module__ == "numpy" and hasattr(value, "dtype") and value.ndim == 0 and value.dtype.kind in "iufc":
        plain = value.item()
        # An extended float has no Python number of its own.
        return plain if isinstance(plain, int | float | complex) else float(plain)
    return None


def close(one: Number, other: Number, tolerance: Tolerance) -> bool:
    """Whether two numbers lie within a tolerance of each other."""
    if one == other:
        return True
    if _is_nan(one) or _is_nan(other):
        return _is_nan(one) and _is_nan(other)
    if _is_infinite(one) or _is_infinite(other):
        return False
    integers = isinstance(one, int) and isinstance(other, int)
    relative = tolerance.for_integers() if integers else tolerance.for_floats()
    if isinstance(one, complex) or isinstance(other, complex):
        try:
            first, second = complex(one), complex(other)
        except OverflowError:  # one is larger than any complex number
            return False
        return abs(first - second) <= max(tolerance.absolute, relative * max(abs(first), abs(second)))
    if isinstance(one, float | int) and isinstance(other, float | int) and not (_is_large(one) or _is_large(other)):
        return abs(one - other) <= max(tolerance.absolute, relative * max(abs(one), abs(other)))
    return _close_exactly(one, other, Tolerance(relative, tolerance.absolute))


def _close_exactly(one: Any, other: Any, tolerance: Tolerance) -> bool:
    """The same for numbers that floating point arithmetic cannot tell apart, exactly or with 100 digits."""
    relative, absolute = tolerance.for_floats(), tolerance.absolute
    if isinstance(one, Decimal) or isinstance(other, Decimal):
        first, second = as_decimal(one), as_decimal(other)
        size = max(first.copy_abs(), second.copy_abs())
        allowed = max(WIDE.create_decimal_from_float(absolute), WIDE.multiply(Decimal(relative), size))
        return WIDE.subtract(first, second).copy_abs() <= allowed
    left, right = Fraction(one), Fraction(other)
    return abs(left - right) <= max(Fraction(absolute), Fraction(relative) * max(abs(left), abs(right)))


def as_decimal(value: Any) -> Decimal:
    """A number that is not complex as a decimal one, exactly, or with 100 digits where it is a fraction."""
    if isinstance(value, Fraction):
        return WIDE.divide(Decimal(value.numerator), Decimal(value.denominator))
    return Decimal(value)


def less(one: Number, other: Number, tolerance: Tolerance) -> bool:
    """Whether a number is less than another by more than the tolerance; a NaN is neither less nor equal to a number.

    Raises:
        DataError: one of them is complex, and has no order.
    """
    for value in (one, other):
        if isinstance(value, complex):
            raise DataError.of("not_comparable", "complex numbers have no order", hint="compare their size")
    if _is_nan(one) or _is_nan(other):
        return not (_is_nan(one) and _is_nan(other))
    ordered: Any = one
    return ordered < other and not close(one, other, tolerance)


def _is_nan(value: Number) -> bool:
    if isinstance(value, complex):
        return math.isnan(value.real) or math.isnan(value.imag)
    return value.is_nan() if isinstance(value, Decimal) else value != value


def _is_infinite(value: Number) -> bool:
    if isinstance(value, float):
        return math.isinf(value)
    if isinstance(value, complex):
        return math.isinf(value.real) or math.isinf(value.imag)
    return isinstance(value, Decimal) and value.is_infinite()


def _is_large(value: float) -> bool:
    return isinstance(value, int) and not -_EXACT_INTEGER <= value <= _EXACT_INTEGER


def _plain(value: Any) -> Any:
    """What numpy holds that has an own kind in Python, as that: its booleans, texts and arrays without dimensions."""
    if type(value).__module__ == "numpy" and getattr(value, "ndim", None) == 0 and hasattr(value, "item"):
        return value.item()
    return value


def _same_parts(one: Any, other: Any, tolerance: Tolerance) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, str) and isinstance(other, str):
        return str.__eq__(one, other)
    arrays = _is_array(one), _is_array(other)
    if all(arrays):
        return _same_arrays(one, other, tolerance)
    if any(arrays):
        one, other = (value.tolist() if found else value for value, found in zip((one, other), arrays, strict=True))
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(same(left, right, tolerance) for left, right in zip(one, other))  # noqa: B905 - their lengths were compared
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return _same_mappings(one, other, tolerance)
    if isinstance(one, set | frozenset) and isinstance(other, set | frozenset):
        return _same_sets(one, other, tolerance)
    return _same_objects(one, other, tolerance)


def _same_sets(one: Any, other: Any, tolerance: Tolerance) -> bool:
    """Whether two sets have the same members; numbers that are not in both are paired in their order.

    Raises:
        DataError: members hold numbers, such as tuples of them, and a tolerance is given, which there is no way to
            apply.
    """
    first, second = {_member(item): item for item in one}, {_member(item): item for item in other}
    left = [value for key, value in first.items() if key not in second]
    right = [value for key, value in second.items() if key not in first]
    if len(left) != len(right) or not left:
        return not left and not right
    if any(type(value) in _EXACT_KINDS and type(value) is not int for value in (*left, *right)):
        return False
    numbers: list[Any] = [as_number(value) for value in (*left, *right)]
    if all(number is not None and not isinstance(number, complex) for number in numbers):
        if any(_is_nan(number) or _is_infinite(number) for number in numbers):
            return False
        sides = numbers[: len(left)], numbers[len(left) :]
        pairs = zip(*(sorted(side, key=Fraction) for side in sides), strict=True)
        return all(close(low, high, tolerance) for low, high in pairs)
    if tolerance.relative or tolerance.absolute:
        message = "a tolerance is for numbers, and members of a set that hold numbers can only be compared exactly"
        raise DataError.of("not_comparable", message, hint="let the system give a sorted list, or a dict")
    return False


def _same_mappings(one: Mapping[Any, Any], other: Mapping[Any, Any], tolerance: Tolerance) -> bool:
    if len(one) != len(other):
        return False
    theirs = {_member(key): value for key, value in other.items()}
    missing = object()
    found = ((value, theirs.get(_member(key), missing)) for key, value in one.items())
    return all(right is not missing and same(left, right, tolerance) for left, right in found)


def _member(value: Any) -> Any:
    """A key that tells a boolean from a number, and knows that NaN is itself."""
    return (type(value) is bool, "NaN" if isinstance(value, float) and value != value else value, value != value)


def _same_objects(one: Any, other: Any, tolerance: Tolerance) -> bool:
    if one is other:
        return True
    kind = type(one)
    if kind is type(other):
        if dataclasses.is_dataclass(kind):
            names = [each.name for each in dataclasses.fields(kind) if each.compare]
            return all(same(getattr(one, name), getattr(other, name), tolerance) for name in names)
        if hasattr(kind, "model_fields") and hasattr(kind, "model_dump"):
            return same(dict(one), dict(other), tolerance)
        if kind in _ROWS:
            return same(list(one), list(other), tolerance)
        compares: Any = kind.__eq__
        if compares is SimpleNamespace.__eq__:
            return same(vars(one), vars(other), tolerance)
        if compares is object.__eq__ and not isinstance(one, Enum):
            message = f"{describe(one)} does not say when two of it are equal"
            hint = "give the relation an assertion of your own, or let the system give plain values"
            raise DataError.of("not_comparable", message, hint=hint)
    if is_missing(one) or is_missing(other):
        return kind is type(other)
    tables = table_of(one), table_of(other)
    if tables != (None, None):
        return _same_tables(*tables, tolerance)
    return as_truth(one == other, "==")


def _same_tables(one: Table | None, other: Table | None, tolerance: Tolerance) -> bool:
    """Whether names, labels and types are the same, and each cell within the tolerance."""
    if one is None or other is None or one.kind != other.kind or one.types != other.types:
        return False
    if not same(one.labels, other.labels, EXACTLY):
        return False
    return all(same(left, right, tolerance) for left, right in zip(one.columns(), other.columns(), strict=True))


def as_truth(value: Any, what: str) -> bool:
    """The truth of what a comparison gave.

    Raises:
        DataError: it is no truth value.
    """
    if value is True or value is False:
        return bool(value)
    if value is NotImplemented:
        return False
    if type(value).__module__ == "numpy" and getattr(value, "ndim", None) == 0 and value.dtype.kind == "b":
        return bool(value)
    message = f"{what} gave {describe(value)} where True or False is due"
    raise DataError.of("not_comparable", message, hint="return True where the relation holds and False elsewhere")


def _is_array(value: Any) -> bool:
    return type(value).__module__ == "numpy" and type(value).__name__ == "ndarray"


def _same_arrays(one: Any, other: Any, tolerance: Tolerance) -> bool:
    import numpy as np

    if one.shape != other.shape or (one.dtype.kind == "b") != (other.dtype.kind == "b"):
        return False
    numeric = one.dtype.kind in "iufc" and other.dtype.kind in "iufc"
    integers = one.dtype.kind in "iu" and other.dtype.kind in "iu"
    if not numeric or (integers and (tolerance.for_integers() or tolerance.absolute)):
        return bool(np.array_equal(one, other)) or same(one.tolist(), other.tolist(), tolerance)
    equal = (one == other) | ((one != one) & (other != other))
    if integers or equal.all():
        return bool(equal.all())
    left, right = one[~equal], other[~equal]
    with np.errstate(all="ignore"):
        allowed = np.maximum(tolerance.absolute, tolerance.for_floats() * np.maximum(np.abs(left), np.abs(right)))
        near = np.isfinite(left) & np.isfinite(right) & (np.abs(left - right) <= allowed)
    return bool(near.all())


def as_pick(value: Any) -> Any:
    """A pick as it is compared: text in NFC and without white space around it."""
    return unicodedata.normalize("NFC", value).strip() if isinstance(value, str) else value
