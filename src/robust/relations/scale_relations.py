"""The relation of units: the same quantities in another unit."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable
from decimal import Context, Decimal
from fractions import Fraction
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Final, Unpack

from robust.canon import describe
from robust.errors import UsageError
from robust.oracle.recompute_units import read_quantity
from robust.relations.argument_words import is_finite, shown_argument
from robust.relations.assertions import Assertion, scales_by, unchanged
from robust.relations.catalog import RelationOptions, catalog_relation, text_part
from robust.relations.relation import NotApplicable, Relation

if TYPE_CHECKING:
    from random import Random

_EXACT: Final = Context(prec=400)
_MAX_PLACES: Final = 30
_NUMBER: Final = r"(?<![\w.,])(\d{1,30}(?:\.\d{1,30})?)(\s?)"


def unit_scaling(
    field: Hashable | None = None,
    *,
    factor: float = 2,
    power: float = 1,
    units: tuple[str, str] | None = None,
    **options: Unpack[RelationOptions],
) -> Relation:
    """The same quantities in another unit.

    Either numbers are multiplied (metres become millimetres with a factor of 1000), and the output, a number, must be
    multiplied likewise: it preserves every ratio. Or, with ``units``, a text has its quantities in another unit, and
    the output must stay: it preserves every quantity, exactly.

    Args:
        field: the field of a dict that has the numbers or the text; the input itself where it is left out.
        factor: what each number is multiplied by: above 0, not 1. Numbers may be in lists and dicts; integers stay
            integers where the factor is one. What would overflow is left out.
        power: of the factor, by which the output is multiplied: 1 for a length of lengths, 2 for an area, 0 for an
            output that does not depend on the unit.
        units: as they are written, what stands in the text and what shall stand there, such as ``("kg", "g")``. Numbers
            are plain: digits with a point for decimals, no grouping.
        **options: see :class:`RelationOptions`. Without ``assertion`` it is :func:`scales_by` or :func:`unchanged`.

    Raises:
        UsageError: an option is not what it must be; the units are not known, or not of one kind.
    """
    if units is not None:
        convert = _converter(units)
        edit: Callable[[Any, Random], Any] = lambda part, _: convert(text_part(part))  # noqa: E731 - one of two
        preserves, assertion = "every quantity, exactly", unchanged()
    else:
        scale = _checked_factor(factor)
        edit = lambda part, _: _scaled_part(part, scale)  # noqa: E731 - the other of two
        preserves, assertion = "every ratio of two quantities", _scaled_output(scale, power)
    return catalog_relation(
        "unit_scaling",
        field,
        options,
        edit=edit,
        preserves=preserves,
        assertion=assertion,
        deterministic=True,
    )


def _checked_factor(factor: Any) -> float:
    if type(factor) not in (int, float) or not (is_finite(factor) and factor > 0 and factor != 1):
        message = f"must be a number above 0 and not 1, which a double holds, not {shown_argument(factor)}"
        raise UsageError.of("bad_option", message, path="factor")
    whole = int(factor)
    return whole if whole == factor else float(factor)


def _scaled_output(factor: float, power: Any) -> Assertion:
    try:
        # In floating point numbers first: a power that is huge would be computed for ever.
        if type(power) not in (int, float) or not math.isfinite(float(factor) ** float(power)):
            raise ValueError
        scale = factor**power
        return unchanged() if power == 0 else scales_by(scale)
    except (ValueError, OverflowError, UsageError):
        message = f"must be a number to whose power {factor} can be raised, not {shown_argument(power)}"
        raise UsageError.of("bad_option", message, path="power") from None


def _scaled_part(part: Any, factor: float) -> Any:
    scaled, count = _scaled(part, factor)
    if not count:
        raise NotApplicable(f"there is no number in it, but {describe(part)}")
    return scaled


def _scaled(part: Any, factor: float) -> tuple[Any, int]:
    """A value with its numbers multiplied, and how many they are."""
    if isinstance(part, dict | list | tuple):
        values = part.values() if isinstance(part, dict) else part
        scaled = [_scaled(value, factor) for value in values]
        found = [value for value, _ in scaled]
        count = sum(number for _, number in scaled)
        if isinstance(part, dict):
            return dict(zip(part, found, strict=True)), count
        if isinstance(part, tuple):
            return (part._make(found) if hasattr(part, "_make") else tuple(found)), count
        return found, count
    if hasattr(part, "dtype") and part.ndim:
        return _scaled_array(part, factor)
    if isinstance(part, bool) or not isinstance(part, Real | Decimal):
        return part, 0
    return _scaled_number(part, factor), 1


def _scaled_number(number: Any, factor: float) -> Any:
    try:
        if isinstance(number, Decimal):
            return _EXACT.multiply(number, Decimal(repr(factor))) if number.is_finite() else number
        if isinstance(number, Fraction):
            return number * Fraction(repr(factor))
        if isinstance(number, Integral):
            product = int(number) * factor
            scaled = type(number)(product) if isinstance(product, int) else product  # type: ignore[call-arg]
        else:
            scaled = number * factor
    except OverflowError:
        raise NotApplicable(f"{number} becomes too large") from None
    if is_finite(number) and (not is_finite(scaled) or (scaled == 0) != (number == 0)):
        raise NotApplicable(f"{number} becomes too large or too small")
    return scaled


def _scaled_array(array: Any, factor: float) -> tuple[Any, int]:
    import numpy as np

    given = np.asarray(array)
    if given.dtype.kind not in "iuf" or not given.size:
        return array, 0
    with np.errstate(over="ignore", under="ignore"):
        exact = given.astype(np.float64) * factor
        scaled = given * given.dtype.type(factor) if isinstance(factor, int) else exact.astype(_floating(given.dtype))
    if given.dtype.kind in "iu" and isinstance(factor, int):
        limits = np.iinfo(given.dtype)
        if float(limits.max) <= float(np.max(exact)) or float(np.min(exact)) < float(limits.min):
            raise NotApplicable("numbers of the array become too large for its type")
    elif not np.array_equal(np.isfinite(given), np.isfinite(scaled)):
        raise NotApplicable("numbers of the array become too large for its type")
    return scaled, int(given.size)


def _floating(dtype: Any) -> Any:
    return dtype if dtype.kind == "f" else float


def _converter(units: Any) -> Callable[[str], str]:
    """What writes a text's quantities in another unit.

    Raises:
        UsageError: the units are not known, or not of one kind.
    """
    if not isinstance(units, tuple | list) or len(units) != 2 or not all(isinstance(unit, str) for unit in units):
        raise UsageError.of("bad_option", 'must be two units, such as ("kg", "g")', path="units")
    old, new = str(units[0]), str(units[1])
    read = [read_quantity(f"1 {unit}") for unit in units]
    for unit, reading in zip(units, read, strict=True):
        if not reading:
            raise UsageError.of("bad_option", f"{unit!r} cannot be read as a unit: {reading.problem}", path="units")
    first, second = read[0].value, read[1].value
    if first.unit != second.unit or first.amount == second.amount:
        message = f"{old!r} and {new!r} are not two units of one kind"
        raise UsageError.of("bad_option", message, path="units")
    ratio = Fraction(first.amount / second.amount)
    pattern = re.compile(_NUMBER + re.escape(old) + r"(?![\w²³/°])")

    def convert(text: str) -> str:
        changed, count = pattern.subn(lambda found: f"{_decimal(Fraction(found[1]) * ratio)}{found[2]}{new}", text)
        if not count:
            raise NotApplicable(f"there is no plain number of {old!r} in the text")
        return changed

    return convert


def _decimal(number: Fraction) -> str:
    """A number with all of its decimals.

    Raises:
        NotApplicable: it has more than anybody would write.
    """
    for places in range(_MAX_PLACES + 1):
        scaled = number * 10**places
        if scaled.denominator == 1:
            digits = str(scaled.numerator).rjust(places + 1, "0")
            return f"{digits[:-places]}.{digits[-places:]}" if places else digits
    raise NotApplicable("a quantity has no exact decimals in the other unit")
