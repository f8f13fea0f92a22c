"""Edits of a written amount. None of them knows, or says, whether the amount survives."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final, TypeAlias

from babel.core import Locale
from babel.numbers import get_decimal_symbol, get_group_symbol

from amounts_data import ASCII_DIGITS, LOCALES, Amount, native_digits, native_system, write
from robust.canon import unit_interval

# What an edit makes of an amount: a text and the locale that goes with it, or None where it does not apply.
Edit: TypeAlias = tuple[str, str] | None
_SPACES: Final = re.compile("[ \u00a0\u202f]")


def _own(amount: Amount, text: str) -> Edit:
    return text, amount.locale


def _marks(amount: Amount) -> tuple[str, str]:
    place = Locale.parse(amount.locale)
    return get_group_symbol(place, numbering_system="default"), get_decimal_symbol(place, numbering_system="default")


def _other_locale(amount: Amount) -> str:
    others = [locale for locale in LOCALES if locale != amount.locale]
    return others[int(len(others) * unit_interval("examples/amounts/other-locale", amount.name))]


def extra_space(amount: Amount) -> Edit:
    """Double the first space; where there is none, put one on each side."""
    text = amount.text
    return _own(amount, _SPACES.sub(lambda found: found[0] * 2, text, count=1) if _SPACES.search(text) else f" {text} ")


def plain_spaces(amount: Amount) -> Edit:
    """Type an ordinary space wherever CLDR has a no-break one."""
    return _own(amount, _SPACES.sub(" ", amount.text))


def comma_removed(amount: Amount) -> Edit:
    """Remove every comma: a mark between groups here, the decimal mark there."""
    return _own(amount, amount.text.replace(",", ""))


def grouping_removed(amount: Amount) -> Edit:
    """Write the amount without marks between groups."""
    grouping = re.escape(_marks(amount)[0])
    return _own(amount, re.sub(rf"(?<=\d){grouping}(?=\d)", "", amount.text))


def decimal_mark_removed(amount: Amount) -> Edit:
    """Remove the decimal mark."""
    return _own(amount, re.sub(rf"(?<=\d){re.escape(_marks(amount)[1])}(?=\d)", "", amount.text))


def zeros_appended(amount: Amount) -> Edit:
    """Write one more zero after the decimals, or a decimal mark and two zeros where there are none."""
    text, decimal = amount.text, _marks(amount)[1]
    last = [match.end() for match in re.finditer(r"\d", text)][-1]
    zero = chr(ord(text[last - 1]) - int(text[last - 1]))
    added = zero if re.search(rf"\d{re.escape(decimal)}\d+\Z", text[:last]) else decimal + zero * 2
    return _own(amount, text[:last] + added + text[last:])


def reformatted(amount: Amount) -> Edit:
    """Write the same amount as another locale does, and say so."""
    other = _other_locale(amount)
    return write(amount, amount.value, locale=other), other


def reformatted_silently(amount: Amount) -> Edit:
    """Write the same amount as another locale does, and leave the old locale beside it."""
    return _own(amount, write(amount, amount.value, locale=_other_locale(amount)))


def digits_exchanged(amount: Amount) -> Edit:
    """Exchange the locale's own digits for ASCII ones, or the other way round; the marks stay."""
    native = native_digits(amount.locale)
    in_ascii = any(digit in amount.text for digit in ASCII_DIGITS)
    table = str.maketrans(ASCII_DIGITS, native) if in_ascii else str.maketrans(native, ASCII_DIGITS)
    return _own(amount, amount.text.translate(table))


def latin_notation(amount: Amount) -> Edit:
    """Write digits and marks as the locale does for ASCII digits."""
    return None if native_system(amount.locale) == "latn" else _own(amount, write(amount, amount.value, system="latn"))


def sign_changed(amount: Amount) -> Edit:
    """Drop the sign, or add one."""
    return _own(amount, write(amount, -amount.value))


def digit_changed(amount: Amount) -> Edit:
    """Mistype the first digit."""
    return _own(amount, re.sub(r"\d", lambda found: chr(ord(found[0]) + 10 - 2 * int(found[0])), amount.text, count=1))


def digit_dropped(amount: Amount) -> Edit:
    """Leave out the last digit before the decimal mark."""
    whole, fraction = divmod(abs(amount.value), 1)
    shorter = (whole // 10 + fraction).copy_sign(amount.value)
    return None if whole < 10 else _own(amount, write(amount, shorter))


def digit_added(amount: Amount) -> Edit:
    """Type one more digit before the decimal mark."""
    whole, fraction = divmod(abs(amount.value), 1)
    return _own(amount, write(amount, (whole * 10 + Decimal(5) + fraction).copy_sign(amount.value)))
