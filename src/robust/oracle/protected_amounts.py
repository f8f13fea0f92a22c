"""Numbers in their surroundings: with sign, currency, scale and unit, as ordinals and as times of day."""

from __future__ import annotations

import re
from itertools import product
from typing import Final, NamedTuple

from robust.oracle.protected_item import ProtectedItem, item
from robust.oracle.protected_numbers import fraction, scaled, vulgar
from robust.oracle.protected_units import CURRENCIES, UNIT_NAMES
from robust.oracle.protected_words import SCALES, SIGN_WORDS

MINUS: Final = "-−–‒﹣－"
_SIGNS: Final = {**dict.fromkeys(MINUS, "-"), **dict.fromkeys("+＋", ""), "±": "±", "∓": "±"}
# A sign behind one of these joins, and is none: 5-10, A-4, (5)-3.
_JOINED: Final = frozenset(")]}%‰°'\"”’_" + MINUS)
# Before an amount: its currency, then a sign that stands apart, or a word for one.
_CURRENCY: Final = re.compile(r"(?<![^\W\d_])(?:([A-Z]{1,3}[$£¥]|[A-Z]{3}|Rs\.?)|([$€£¥₹₽₩₺₴₪₿¢]))[ \u00a0\u202f]?\Z")
_SIGN_APART: Final = re.compile(r"(?:\A|[\s(\[{])([-+−–‒﹣－＋±])[ \u00a0\u2009\u202f]\Z")
_SIGN_WORD: Final = re.compile(r"(?<!\w)(minus|negative|plus|positive)[\s-]{1,9}\Z", re.IGNORECASE)
_NUMBER_BEFORE: Final = re.compile(r"[\d%)]\s*\Z")
_LOOK_BACK: Final = 40
_CLOCK: Final = re.compile(r"\s{0,9}([ap])\.?\s?m\b(?:(?<=\.m)\.|(?<=\.\sm)\.)?", re.IGNORECASE)
_ORDINAL: Final = re.compile(r"(?:st|nd|rd|th)(?!\w)", re.IGNORECASE)
_SCALE: Final = re.compile(r"[\s-]{1,9}(hundred|thousand|million|billion|trillion|lakh|crore)(?!\w)", re.IGNORECASE)
_POWERS: Final = "⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉"
_LETTERS: Final = re.compile(r"[^\W\d_]++")
_NAME: Final = re.compile(r"[°℃℉]?[^\W\d_]++(?:['’][^\W\d_]++)?(?:/[^\W\d_]++)?[²³]?|[%‰″′°℃℉¢$€£¥₹₽₩₺₴₪₿×]")
_UNIT_SPACE: Final = re.compile(r"\s{1,9}|[-‐‑](?=[^\W\d_])|")
_PER_CENT: Final = re.compile(r"per\s{1,9}cent(?!\w)", re.IGNORECASE)
_PER: Final = re.compile(r"\s{1,9}(?:per|an?)\s{1,9}([^\W\d_]++)")
_CHAR_FRACTION: Final = re.compile(r"[ \u2064]?([¼½¾⅐-⅞↉])")
_SLASH: Final = re.compile(r"[/⁄](\d++)(?![/⁄.,]?\d)")


class _Unit(NamedTuple):
    names: tuple[str, ...]
    end: int


def amount(text: str, start: int, end: int, values: tuple[str, ...], floor: int) -> ProtectedItem:
    """The item of a number: what stands before and behind it belongs to it.

    Args:
        text: the whole text.
        start: the offset of the number itself.
        end: the offset behind it.
        values: its readings without sign.
        floor: the offset behind the item before it, which is not looked at.
    """
    values, end = _with_fraction(text, end, values)
    ordinal = _ORDINAL.match(text, end)
    if ordinal is not None:
        return item("ordinal", values, start, ordinal.end())
    clock = _CLOCK.match(text, end)
    if clock is not None and values[0].isdecimal() and len(values[0]) <= 2:
        return item("time", (time_of_day(values[0], "00", "", clock.group(1)),), start, clock.end())
    scale = _SCALE.match(text, end)
    if scale is not None:
        values, end = tuple(scaled(value, SCALES[scale.group(1).lower()]) for value in values), scale.end()
    unit = _unit(text, end)
    currency, signs, start = _before(text, start, floor)
    if currency and unit.names and set(currency) & set(unit.names):
        currency = tuple(name for name in currency if name in unit.names)
        unit = _Unit((), unit.end)
    readings = tuple(
        " ".join(filter(None, parts))
        for parts in product(_signed(signs, values), currency or ("",), unit.names or ("",))
    )
    return item("number", readings, start, unit.end)


def time_of_day(hours: str, minutes: str, seconds: str, half: str) -> str:
    """A time on a clock of 24 hours; ``half`` is a, p or nothing."""
    hour = int(hours)
    if half and hour <= 12:
        hour = hour % 12 + (12 if half.lower() == "p" else 0)
    return ":".join((f"{hour:02d}", minutes, *((seconds,) if seconds else ())))


def clock_at(text: str, end: int) -> tuple[str, int]:
    """Which half of the day is named at an offset: a, p or nothing, and where its name ends."""
    clock = _CLOCK.match(text, end)
    return ("", end) if clock is None else (clock.group(1), clock.end())


def _with_fraction(text: str, end: int, values: tuple[str, ...]) -> tuple[tuple[str, ...], int]:
    """A number with the fraction behind it: 1/2, 1½."""
    slash = _SLASH.match(text, end)
    if slash is not None and values[0].isdecimal():
        return (fraction(values[0], slash.group(1)),), slash.end()
    mixed = _CHAR_FRACTION.match(text, end)
    if mixed is not None:
        return tuple(f"{value}+{vulgar(mixed.group(1))}" for value in values), mixed.end()
    if text[end : end + 1] in _POWERS and end < len(text):
        power = end
        while power < len(text) and text[power] in _POWERS:
            power += 1
        return tuple(f"{value}^{text[end:power]}" for value in values), power
    return values, end


def _signed(signs: tuple[str, ...], values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sign + value if value.strip("0.") or sign == "±" else value for sign in signs for value in values)


def _before(text: str, start: int, floor: int) -> tuple[tuple[str, ...], tuple[str, ...], int]:
    """The currency and the possible signs before a number, and where all of it starts."""
    floor = max(floor, start - _LOOK_BACK)
    currency: tuple[str, ...] = ()
    signs, start = _attached_sign(text, start, floor)
    found = _CURRENCY.search(text, floor, start)
    if found is not None and (found.group(2) or found.group(1).rstrip(".") in CURRENCIES):
        name = (found.group(1) or found.group(2)).rstrip(".")
        currency = UNIT_NAMES.get(name, (name,))
        start = found.start()
        if not signs:
            signs, start = _attached_sign(text, start, floor)
    if not signs:
        signs, start = _sign_apart(text, start, floor)
    if signs == ("",) and text[start - 1 : start] == "(" and start > floor:
        # In accounts brackets mean a negative amount.
        signs = ("", "-")
    return currency, signs, start


def _attached_sign(text: str, start: int, floor: int) -> tuple[tuple[str, ...], int]:
    sign = _SIGNS.get(text[start - 1]) if start > floor else None
    if sign is None:
        return (), start
    before = text[start - 2 : start - 1] if start > 1 else ""
    if before and (before.isalnum() or before in _JOINED):
        return ("",), start
    return (sign,), start - 1


def _sign_apart(text: str, start: int, floor: int) -> tuple[tuple[str, ...], int]:
    apart = _SIGN_APART.search(text, floor, start)
    if apart is not None:
        return ("", _SIGNS[apart.group(1)]), apart.start(1)
    word = _SIGN_WORD.search(text, floor, start)
    if word is None:
        return ("",), start
    sign = SIGN_WORDS[word.group(1).lower()]
    subtracts = _NUMBER_BEFORE.search(text, max(0, word.start() - _LOOK_BACK), word.start()) is not None
    return ((sign, "") if subtracts and sign else (sign,)), word.start()


def _unit(text: str, end: int) -> _Unit:
    """The unit behind a number: attached, with a hyphen, or behind white space."""
    space = _UNIT_SPACE.match(text, end)
    at = end if space is None else space.end()
    per_cent = _PER_CENT.match(text, at)
    if per_cent is not None:
        return _Unit(("%",), per_cent.end())
    found = _NAME.match(text, at)
    if found is None:
        return _Unit((), end)
    name, stop = found.group(), found.end()
    names = UNIT_NAMES.get(name)
    if names is None and "/" in name:
        above, below = name.split("/", 1)
        if above in UNIT_NAMES:
            names = tuple(f"{a}/{b}" for a in UNIT_NAMES[above] for b in UNIT_NAMES.get(below, (below,)))
    if names is None:
        letters = _LETTERS.match(text, at)
        if at > end and letters is not None and letters.group() in UNIT_NAMES:
            name, stop, names = letters.group(), letters.end(), UNIT_NAMES[letters.group()]
        elif at > end:
            return _Unit((), end)
        else:
            # Whatever letters stand at a number belong to it: 100t, 5k, 1990s.
            return _Unit((name,), stop)
    per = _PER.match(text, stop)
    if per is not None and per.group(1) in UNIT_NAMES:
        names, stop = tuple(f"{a}/{b}" for a in names for b in UNIT_NAMES[per.group(1)]), per.end()
    return _Unit(names, stop)
