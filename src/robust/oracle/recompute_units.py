"""Quantities with their units, converted exactly; a name that may mean two units says nothing until it is declared."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import total_ordering
from typing import Final

from robust.canon import describe
from robust.errors import CaseError
from robust.oracle.protected_units import EXACT_NAMES, UNIT_NAMES
from robust.oracle.recompute import DecimalSign, Reading, number_text, read_number, unreadable

# Each unit as so many of another, by definition and therefore exact: the SI, the international yard and pound of 1959.
# Left out is what has several definitions: ton, ounce, gallon, pint, calorie, month, year, psi, degrees of something.
_UNITS: Final = """
m: nm 1e-9 um 1e-6 mm 1e-3 cm 1e-2 m 1 km 1e3 in 0.0254 ft 0.3048 yd 0.9144 mi 1609.344
g: ug 1e-6 mg 1e-3 g 1 kg 1e3 lb 453.59237
l: ul 1e-6 ml 1e-3 cl 1e-2 dl 1e-1 l 1 m3 1e3
m2: m2 1 km2 1e6 ha 1e4
s: ns 1e-9 us 1e-6 ms 1e-3 s 1 min 60 h 3600 d 86400 week 604800
Hz: mHz 1e-3 Hz 1 kHz 1e3 MHz 1e6 GHz 1e9
W: mW 1e-3 W 1 kW 1e3 MW 1e6 GW 1e9
J: J 1 kJ 1e3 Wh 3600 kWh 3.6e6 MWh 3.6e9
V: mV 1e-3 V 1 kV 1e3
A: mA 1e-3 A 1
mAh: mAh 1
N: N 1
Pa: mPa 1e-3 Pa 1 hPa 1e2 kPa 1e3 MPa 1e6 mbar 1e2 bar 1e5
mol: umol 1e-6 mmol 1e-3 mol 1
bit: bit 1 kb 1e3 Mb 1e6 Gb 1e9 byte 8 kB 8e3 MB 8e6 GB 8e9 TB 8e12 KiB 8192 MiB 8388608 GiB 8589934592
bit/s: Mbps 1e6 MBps 8e6
km/h: km/h 1 m/s 3.6 mph 1.609344
one: % 1e-2 ‰ 1e-3 bp 1e-4 ppm 1e-6 ppb 1e-9
pp: pp 1
"""
_OFFSET: Final = {
    "K": (Fraction(1), Fraction(0)),
    "C": (Fraction(1), Fraction("273.15")),
    "F": (Fraction(5, 9), Fraction("459.67") * Fraction(5, 9)),
}
_MONEY: Final = frozenset(
    ("USD", "EUR", "GBP", "JPY", "CNY", "INR", "RUB", "KRW", "TRY", "UAH", "ILS", "BTC", "CHF", "SEK", "NOK", "DKK")
) | {"PLN", "AUD", "CAD", "MXN"}
# Names that everyday use gives to several units.
_SEVERAL: Final = frozenset(("KB", "K", "C", "F", "B", "h/d", "′", "″", "Rs"))
# Likewise words, in which capitals make no difference: several countries call their currencies so.
_SEVERAL_WORDS: Final = frozenset(
    ("ton", "tons", "peso", "pesos", "rupee", "rupees", "franc", "francs", "lira", "krona", "kronor")
) | {"ruble", "rubles", "rouble", "roubles"}
# Shorter names are signs.
_WORD: Final = 4
_SIGNED: Final = r"[-−–‒﹣－+＋]?"
_NUMBER: Final = re.compile(
    rf"\s*({_SIGNED})\s?([^\W\d_]{{1,3}}[$£¥]?|[^\w\s.,'’+-])?\s?({_SIGNED}\d.*\d|{_SIGNED}\d)(.*)\Z"
)
_MAX_CHARACTERS: Final = 1000


def _factors() -> dict[str, tuple[str, Fraction]]:
    found: dict[str, tuple[str, Fraction]] = {}
    for line in _UNITS.strip().split("\n"):
        base, _, rest = line.partition(": ")
        parts = rest.split()
        for unit, factor in zip(parts[::2], parts[1::2], strict=True):
            found[unit] = (base, Fraction(factor))
    return found | {currency: (currency, Fraction(1)) for currency in _MONEY}


_FACTORS: Final = _factors()


@total_ordering
@dataclass(frozen=True, slots=True)
class Quantity:
    """An amount of something, in the one unit that all of its kind are converted to.

    Attributes:
        amount: how many of it.
        unit: that unit, such as ``m``, ``g``, ``one`` for shares, ``K``, or a currency.
    """

    amount: Fraction
    unit: str

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Quantity) or other.unit != self.unit:
            raise TypeError("quantities of several kinds have no order")
        return self.amount < other.amount


def read_quantity(
    text: object,
    *,
    decimal: DecimalSign | None = None,
    grouping: str | None = None,
    units: Mapping[str, str] | None = None,
) -> Reading:
    """The quantity that a text is, exactly: a number with its unit behind it, or a currency before it.

    Case tells units apart: 5 mW is not 5 MW. A name that may mean several units (``$``, ``pound``, ``kr``) is not read
    before it is declared what it means.

    Args:
        text: the quantity and nothing else.
        decimal: see :func:`read_number`.
        grouping: see :func:`read_number`.
        units: by name as it is written, the unit that it means here, such as ``{"$": "USD"}``.

    Returns:
        a reading whose value is a :class:`Quantity`, and whose text is such as ``5000 m``.

    Raises:
        CaseError: a declared unit is not known, or the declared signs are wrong.
    """
    declared = dict(units or {})
    for name, unit in declared.items():
        if unit not in _FACTORS and unit not in _OFFSET:
            known = ", ".join(sorted([*_FACTORS, *_OFFSET]))
            raise CaseError.of("unknown_unit", f"{unit!r} is no unit", path=f"units[{name!r}]", hint=f"one of {known}")
    read_number("0", decimal=decimal, grouping=grouping)
    if not isinstance(text, str):
        return unreadable("", f"text is due, not {describe(text)}")
    source = str.__str__(text)
    found = _NUMBER.match(source) if len(source) <= _MAX_CHARACTERS else None
    if found is None:
        return unreadable(source, "not a number with a unit")
    sign, before, digits, behind = found.groups()
    name = behind.strip()
    if before and name:
        return unreadable(source, "a unit stands on both sides of the number")
    if not (before or name):
        return unreadable(source, "there is no unit")
    number = read_number(sign + digits, decimal=decimal, grouping=grouping)
    if not number:
        return unreadable(source, number.problem)
    unit, problem = _unit(before or name, declared)
    if before and not problem and unit not in _MONEY:
        problem = f"{before!r} stands before the number and is no currency"
    return unreadable(source, problem) if problem else _converted(source, number.value, unit)


def _unit(name: str, declared: Mapping[str, str]) -> tuple[str, str]:
    """The unit of a name, and why it has none."""
    if name in declared:
        return declared[name], ""
    meant = UNIT_NAMES.get(name, ()) if name in EXACT_NAMES or _is_word(name) else ()
    if name in _SEVERAL or name.lower() in _SEVERAL_WORDS or len(meant) > 1:
        return "", f"{name!r} may mean several units; declare which"
    if not meant:
        return "", f"{name!r} is no unit that is known"
    if meant[0] not in _FACTORS and meant[0] not in _OFFSET:
        return "", f"{name!r} has several definitions, or none that is exact"
    return meant[0], ""


def _is_word(name: str) -> bool:
    """Whether capitals make no difference: in words, and in the letters of a currency, which are no other sign."""
    return (len(name) >= _WORD and name.isalpha()) or name.upper() in _MONEY - {"TRY"}


def _converted(source: str, number: Fraction, unit: str) -> Reading:
    if unit in _OFFSET:
        factor, offset = _OFFSET[unit]
        value = Quantity(number * factor + offset, "K")
        if value.amount < 0:
            return unreadable(source, "there is no such temperature")
    else:
        base, factor = _FACTORS[unit]
        value = Quantity(number * factor, base)
    return Reading(source, value, f"{number_text(value.amount)} {value.unit}")
