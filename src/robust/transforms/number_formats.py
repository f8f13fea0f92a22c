"""The same number written in another way: thousands grouped otherwise, another decimal separator."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar, Final, NamedTuple

from robust.canon import RandomStream
from robust.records.case import Relation
from robust.transforms.number_names import is_no_amount
from robust.transforms.strategy import Edit, substitution

_NARROW: Final = "\u202f"
# Marks that only ever group digits.
_GROUPING: Final = f"'’\u00a0\u2009{_NARROW}"
_POINTS: Final = ".,"
_TOKEN: Final = re.compile(
    # Neither within a word, an address, a version or a range, nor beside other figures.
    rf"(?<![\w.,:/\\#@{_GROUPING}])(?<!\d )(?<!\w[-–−+])"
    rf"[0-9]++(?:[.,{_GROUPING}][0-9]++)*+"
    rf"(?![\w\\@]|[-–−/:.,{_GROUPING}][\w]| [0-9])"
)
_GROUP: Final = 3
# A whole number of so many digits, without anything else, may be a year.
_YEAR: Final = 4


class WrittenNumber(NamedTuple):
    """A number as it is written: its whole digits, what groups them, what stands before its decimals, and these."""

    whole: str
    grouping: str
    point: str
    decimals: str

    def written(self, *, grouping: str, point: str) -> str:
        """The same digits with other marks."""
        digits = self.whole
        if grouping:
            first = len(digits) % _GROUP or _GROUP
            parts = (digits[:first], *(digits[at : at + _GROUP] for at in range(first, len(digits), _GROUP)))
            digits = grouping.join(parts)
        return digits + point + self.decimals if self.decimals else digits


def read_written(token: str) -> WrittenNumber | None:
    """What digits with marks say; None where that depends on the language, or they are no number at all.

    ``1,234`` may be more than a thousand or a little more than one; ``1,25``, ``12.345,6`` and ``1'000`` are only one
    number each. Digits that start with a needless zero are taken for a code.
    """
    marks = [char for char in token if not char.isdigit()]
    parts = re.split(r"[^0-9]", token)
    if len(parts[0]) > 1 and parts[0].startswith("0"):
        return None
    if not marks:
        return WrittenNumber(token, "", "", "")
    kinds = list(dict.fromkeys(marks))
    if len(kinds) == 1 and _grouped(parts):
        # One group behind a point or a comma may as well be three decimals.
        return None if kinds[0] in _POINTS and len(parts) == 2 else WrittenNumber("".join(parts), kinds[0], "", "")
    if len(kinds) == 1 and len(parts) == 2 and kinds[0] in _POINTS:
        return WrittenNumber(parts[0], "", kinds[0], parts[1])
    if len(kinds) == 2 and marks.count(marks[-1]) == 1 and marks[-1] in _POINTS and _grouped(parts[:-1]):
        return WrittenNumber("".join(parts[:-1]), kinds[0], marks[-1], parts[-1])
    return None


def _grouped(parts: list[str]) -> bool:
    whole = parts[0] != "0" and 1 <= len(parts[0]) <= _GROUP
    return whole and all(len(part) == _GROUP for part in parts[1:])


def _numbers(text: str) -> Iterator[tuple[int, int, WrittenNumber]]:
    for found in _TOKEN.finditer(text):
        number = read_written(found.group())
        if number is not None and not is_no_amount(text, *found.span()):
            yield *found.span(), number


def _other_groupings(number: WrittenNumber) -> list[str]:
    """The ways to group its digits otherwise."""
    if len(number.whole) <= _GROUP:
        return []
    if len(number.whole) == _YEAR and not number.grouping and not number.decimals:
        return []
    several = len(number.whole) > 2 * _GROUP
    # A single group behind a point reads as decimals in most places where a point stands before them.
    points = [mark for mark in _POINTS if mark != number.point and (mark == "," or several or number.decimals)]
    return [mark for mark in ("", *points, "'", _NARROW) if mark != number.grouping]


class NumberGrouping:
    """A number of five digits or more is grouped by thousands in another way, or not at all.

    Whole numbers of four digits are left alone, as they may be years, and so is what may be two numbers: ``1,234``.
    """

    name: ClassVar[str] = "number-grouping"
    relation: ClassVar[Relation] = "invariant"

    def edit(self, text: str, stream: RandomStream) -> Edit | None:
        """See :class:`Strategy`."""
        found = [place for place in _numbers(text) if _other_groupings(place[2])]
        if not found:
            return None
        start, end, number = stream.choice(found)
        grouping = stream.choice(_other_groupings(number))
        return substitution(text, start, end, number.written(grouping=grouping, point=number.point))


class DecimalSeparator:
    """A number with decimals gets a comma for its point, or a point for its comma; points that group change too."""

    name: ClassVar[str] = "decimal-separator"
    relation: ClassVar[Relation] = "invariant"

    def edit(self, text: str, stream: RandomStream) -> Edit | None:
        """See :class:`Strategy`."""
        found = [place for place in _numbers(text) if place[2].decimals]
        if not found:
            return None
        start, end, number = stream.choice(found)
        point = "." if number.point == "," else ","
        grouping = number.point if number.grouping == point else number.grouping
        return substitution(text, start, end, number.written(grouping=grouping, point=point))
