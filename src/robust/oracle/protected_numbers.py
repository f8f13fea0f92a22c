"""What numbers say: digits with their separators, by every value they may have, and English number words."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Final

from robust.oracle.protected_words import NUMBER_WORDS, SCALES, TENS, UNITS_OF_ONE

# Longer ones are compared as they are written: nothing is computed with them.
_MAX_DIGITS: Final = 60
# Marks that only ever group digits, and marks that stand before decimals or group digits, by language.
GROUPING: Final = "'’٬_ \u00a0\u2009\u202f"
POINTS: Final = ".,·٫"
_GROUP: Final = 3
_TEN: Final = 10
_HUNDRED: Final = 100


def ascii_digits(text: str) -> str:
    """A text with the digits of every script as 0 to 9."""
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(char)) if char.isdecimal() else char for char in text)


def number_readings(text: str) -> tuple[str, ...]:
    """The values that digits with separators may have, without sign, the likeliest first.

    ``1,234`` is 1234 in one language and 1.234 in another; ``1,25`` is 1.25 in any. A number with several points that
    group nothing, such as a version, is only itself.
    """
    text = ascii_digits(text)
    if text.isdecimal():
        return (_whole(text),)
    marks = [char for char in text if not char.isdecimal()]
    parts = _split(text)
    kinds = list(dict.fromkeys(marks))
    if len(kinds) == 1:
        return _of_one_mark(parts, kinds[0])
    last = marks[-1]
    if len(kinds) == 2 and last in POINTS and marks.count(last) == 1 and _grouped(parts[:-1]):
        return (_decimal("".join(parts[:-1]), parts[-1]),)
    return (text,)


def _split(text: str) -> list[str]:
    return "".join(char if char.isdecimal() else " " for char in text).split()


def _of_one_mark(parts: Sequence[str], mark: str) -> tuple[str, ...]:
    grouped = _whole("".join(parts))
    if mark in GROUPING:
        return (grouped,) if _grouped(parts) else ("_".join(parts),)
    if len(parts) > 2:
        return (grouped,) if _grouped(parts) else (".".join(parts),)
    as_decimal = _decimal(*parts)
    if not _grouped(parts) or parts[0].startswith("0"):
        return (as_decimal,)
    return (grouped, as_decimal) if mark == "," else (as_decimal, grouped)


def _grouped(parts: Sequence[str]) -> bool:
    """Whether digits are grouped by thousands, or by lakhs and crores."""
    lengths = [len(part) for part in parts]
    if len(lengths) == 1:
        return True
    by_thousands = lengths[0] <= _GROUP and all(length == _GROUP for length in lengths[1:])
    by_lakhs = lengths[0] <= _GROUP - 1 and lengths[-1] == _GROUP and all(item == _GROUP - 1 for item in lengths[1:-1])
    return by_thousands or by_lakhs


def _whole(digits: str) -> str:
    return digits.lstrip("0") or "0"


def _decimal(whole: str, decimals: str) -> str:
    decimals = decimals.rstrip("0")
    return f"{_whole(whole)}.{decimals}" if decimals else _whole(whole)


def fraction(above: str, below: str) -> str:
    """The value of a fraction of two whole numbers; as a decimal number where it has a short one."""
    if len(above) + len(below) > _MAX_DIGITS or not int(below):
        return f"{above}/{below}"
    value = Fraction(int(above), int(below))
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest == 1 and value.denominator <= 10**6:
        return plain(Decimal(value.numerator) / Decimal(value.denominator))
    return str(value)


def plain(value: Decimal) -> str:
    """A decimal number without exponent and without zeros at its end."""
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def scaled(value: str, power: int) -> str:
    """A value times a power of ten; as it is written where it is no decimal number."""
    whole, _, decimals = value.partition(".")
    if not whole.isdecimal() or (decimals and not decimals.isdecimal()) or len(value) > _MAX_DIGITS:
        return f"{value}e{power}"
    decimals = decimals.ljust(power, "0")
    return _decimal(whole + decimals[:power], decimals[power:])


def vulgar(char: str) -> str:
    """The value of a character such as ½."""
    value = Fraction(unicodedata.numeric(char)).limit_denominator(1000)
    return fraction(str(value.numerator), str(value.denominator))


class _Wording:
    """A number as it is read word by word: thousands that are done, what is below them, and the last scale."""

    def __init__(self) -> None:
        self._done = 0
        self._below = 0
        self._scale = 10**15
        self._last = ""

    @property
    def value(self) -> int:
        return self._done + self._below

    def takes(self, word: str) -> bool:
        """Take a word that can come next; else say no."""
        if self._last in UNITS_OF_ONE and not UNITS_OF_ONE[self._last]:
            return False
        if word in SCALES:
            taken = self._take_scale(10 ** SCALES[word])
        else:
            value = UNITS_OF_ONE.get(word) or TENS.get(word, 0)
            # Tens follow scales only, small units also tens; zero stands alone.
            open_for = not self._last or self._last in SCALES or (self._last in TENS and value < _TEN)
            taken = open_for and not (self._last and not value)
            self._below += value if taken else 0
        self._last = word if taken else self._last
        return taken

    def _take_scale(self, scale: int) -> bool:
        if scale == _HUNDRED:
            taken = self._below < _HUNDRED and self._last not in SCALES
            self._below = max(self._below, 1) * scale if taken else self._below
            return taken
        # Hundred thousand, but not thousand million.
        taken = scale < self._scale and (self._below > 0 or not self._last)
        if taken:
            self._done, self._below, self._scale = self._done + max(self._below, 1) * scale, 0, scale
        return taken


def words_value(words: Iterable[str]) -> tuple[int, int]:
    """The number that the first English number words make, and how many of them: as many as make one number.

    ``twenty three`` is one number, ``ten thirty`` are two; ``and`` is passed over behind a scale.
    """
    number, used, last = _Wording(), 0, ""
    for place, word in enumerate(words):
        if not (word == "and" and last in SCALES):
            if word not in NUMBER_WORDS or not number.takes(word):
                break
            used = place + 1
        last = word
    return number.value, used
