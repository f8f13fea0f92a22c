"""Planted edits of quantities: another unit of the same kind, which is another quantity of every number but 0."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from robust.transforms.planted_doubts import is_zero, readings
from robust.transforms.planted_places import Place, said_once, without_addresses

# Units of one kind, none of which is worth as much as another.
_KINDS: Final = (
    ("mg", "g", "kg"),
    ("mm", "cm", "km"),
    ("ml", "l"),
    ("kW", "MW", "GW"),
    ("kB", "MB", "GB", "TB"),
    ("kHz", "MHz", "GHz"),
    ("kWh", "MWh"),
    ("ms", "s"),
    ("°C", "°F"),
    ("EUR", "USD", "GBP", "CHF"),
    ("minutes", "hours", "days", "weeks", "months", "years"),
    ("minute", "hour", "day", "week", "month", "year"),
    ("milligrams", "grams", "kilograms"),
    ("millimetres", "centimetres", "metres", "kilometres", "miles"),
    ("millimeters", "centimeters", "meters", "kilometers"),
    ("millilitres", "litres"),
    ("dollars", "euros", "pounds"),
    ("Minuten", "Stunden", "Tage", "Wochen", "Monate", "Jahre"),
)
_OTHERS: Final = {unit: [other for other in kind if other != unit] for kind in _KINDS for unit in kind}
_SIGNS: Final = "€$£"
_NUMBER: Final = r"(?<![\w.,:/€$£])(?P<number>\d++(?:[.,]\d++)*+)"
_QUANTITY: Final = re.compile(
    rf"{_NUMBER}(?P<space>[ \u00a0\u202f]?)(?P<unit>{'|'.join(sorted(map(re.escape, _OTHERS), key=len, reverse=True))})"
    r"(?![\w²³/])"
)
_MONEY: Final = re.compile(
    rf"(?<![\w{_SIGNS}])(?P<sign>[{_SIGNS}])[ \u00a0]?(?P<number>\d++(?:[.,]\d++)*+)"
    r"(?!\$|[ \u00a0]?(?:USD|EUR|GBP|CHF|dollars?|euros?|pounds?)\b)"
)
# Between such signs stands a formula.
_FORMULA: Final = re.compile(r"[\da-z})]\$(?!\d)")
_PER_CENT: Final = re.compile(rf"{_NUMBER}(?P<sign>[ \u00a0]?%)(?![\w/-])")
_ANY_PER_CENT: Final = re.compile(r"%|\bper ?cent\b|\bpct\b")
_SENTENCE_END: Final = re.compile(r"[.!?](?=\s|\Z)|\n")
_LONG_SENTENCE: Final = 400
_LOOK_BACK: Final = 8
# The one temperature of which both scales say the same.
_SAME_ON_BOTH: Final = re.compile(r"(?:[-−–]|minus)\s?\Z", re.IGNORECASE)


def _quantities(text: str) -> Iterator[re.Match[str]]:
    for match in said_once(_QUANTITY.finditer(without_addresses(text))):
        if not is_zero(match.group("number")):
            yield match


def changed_unit(text: str) -> Iterator[Place]:
    """Another unit behind a number: 5 mg becomes 5 g."""
    for match in _quantities(text):
        unit, start = match.group("unit"), match.start()
        same = unit.startswith("°") and Fraction(40) in readings(match.group("number"))
        if not (same and _SAME_ON_BOTH.search(text, max(0, start - _LOOK_BACK), start)):
            yield Place(*match.span("unit"), _OTHERS[unit])


def changed_currency(text: str) -> Iterator[Place]:
    """Another sign before an amount of money: €5 becomes $5."""
    if _FORMULA.search(text) is not None:
        return
    for match in said_once(_MONEY.finditer(without_addresses(text))):
        if not is_zero(match.group("number")):
            yield Place(*match.span("sign"), [sign for sign in _SIGNS if sign != match.group("sign")])


def dropped_per_cent(text: str) -> Iterator[Place]:
    """A percentage is a plain number: 5 % becomes 5; not beside another one, which would lend it its sign."""
    for match in said_once(_PER_CENT.finditer(without_addresses(text))):
        if not is_zero(match.group("number")) and not _stands_beside_another(text, match):
            yield Place(*match.span("sign"), ("",))


def _stands_beside_another(text: str, match: re.Match[str]) -> bool:
    """Whether a sentence has another percentage: "5 to 10%" says what "5% to 10%" does."""
    first = max(0, match.start() - _LONG_SENTENCE)
    start = max((end.end() for end in _SENTENCE_END.finditer(text, first, match.start())), default=first)
    end = _SENTENCE_END.search(text, match.end(), match.end() + _LONG_SENTENCE)
    stop = match.end() + _LONG_SENTENCE if end is None else end.start()
    return bool(_ANY_PER_CENT.search(text, start, match.start()) or _ANY_PER_CENT.search(text, match.end(), stop))


def no_break_space(text: str) -> Iterator[Place]:
    """The blank between a number and its unit is one at which no line breaks."""
    for match in _quantities(text):
        if match.group("space") == " ":
            yield Place(*match.span("space"), ("\u00a0",))


def quantity_places(text: str) -> Iterator[Place]:
    """Where quantities, percentages and amounts of money stand."""
    shown = without_addresses(text)
    for pattern in (_QUANTITY, _MONEY, _PER_CENT):
        for match in pattern.finditer(shown):
            yield Place(*match.span(), ())
