"""Dates, read by a declared order of day, month and year; what has two readings has none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Final, Literal, TypeAlias

from robust.canon import describe
from robust.errors import CaseError
from robust.oracle.protected_numbers import ascii_digits
from robust.oracle.protected_words import MONTHS
from robust.oracle.recompute import Reading, unreadable

DateOrder: TypeAlias = Literal["ymd", "dmy", "mdy"]
_ORDERS: Final = ("ymd", "dmy", "mdy")
_FIGURES: Final = re.compile(r"\s*(\d{1,4})([-/.])\s?(\d{1,2})\2\s?(\d{1,4})\s*\Z")
_NAMED: Final = (
    re.compile(
        r"\s*(?P<d>\d{1,2})(?:st|nd|rd|th|\.|er|º)?\s+(?:de\s+|of\s+)?(?P<m>[^\W\d_]+)\.?,?\s+(?:de\s+)?(?P<y>\d{4})\s*\Z"
    ),
    re.compile(r"\s*(?P<m>[^\W\d_]+)\.?\s+(?P<d>\d{1,2})(?:st|nd|rd|th)?,?\s+(?P<y>\d{4})\s*\Z"),
    re.compile(r"\s*(?P<y>\d{4}),?\s+(?P<m>[^\W\d_]+)\.?\s+(?P<d>\d{1,2})(?:st|nd|rd|th)?\s*\Z"),
    re.compile(r"\s*(?P<d>\d{1,2})-(?P<m>[^\W\d_]+)-(?P<y>\d{4})\s*\Z"),
)
_YEAR_DIGITS: Final = 4
_MAX_CHARACTERS: Final = 100


def read_date(text: object, *, order: DateOrder | None = None) -> Reading:
    """The date that a text is, on the Gregorian calendar.

    ``2024-03-05`` and ``5 March 2024`` say one thing. ``05/03/2024`` says one where an order is declared, or where only
    one order gives a date, as in ``25/03/2024``. A year of two digits never says which century it is of.

    Args:
        text: the date and nothing else; the names of months may be English, German, French, Spanish, Italian, Dutch or
            Portuguese.
        order: of day, month and year in figures.

    Returns:
        a reading whose value is a :class:`datetime.date`, and whose text is as ISO 8601 writes it.

    Raises:
        CaseError: there is no such order.
    """
    if order is not None and order not in _ORDERS:
        raise CaseError.of("bad_order", f"must be one of {', '.join(_ORDERS)}, not {order!r}", path="order")
    if not isinstance(text, str):
        return unreadable("", f"text is due, not {describe(text)}")
    source = str.__str__(text)
    short = ascii_digits(source) if len(source) <= _MAX_CHARACTERS else ""
    figures = _FIGURES.match(short)
    if figures is not None:
        return _of_figures(source, figures, order)
    found = next(filter(None, (pattern.match(short) for pattern in _NAMED)), None)
    month = None if found is None else MONTHS.get(found["m"].casefold())
    if found is None or month is None:
        return unreadable(source, "not a date")
    return _only(source, {day for day in (_date(found["y"], month, found["d"]),) if day is not None})


def _of_figures(source: str, figures: re.Match[str], order: DateOrder | None) -> Reading:
    first, mark, second, third = figures.groups()
    if _YEAR_DIGITS not in (len(first), len(third)) or {3} & {len(first), len(third)}:
        return unreadable(source, "the year has not four digits")
    if order is None and len(first) == _YEAR_DIGITS and mark == "-":
        order = "ymd"
    read = list(_readings((first, second, third), order))
    if not read and order is not None:
        return unreadable(source, f"its year does not stand where the declared order {order} has it")
    return _only(source, {day for day in read if day is not None})


def _readings(parts: tuple[str, str, str], order: DateOrder | None) -> Iterator[date | None]:
    for each in _ORDERS if order is None else (order,):
        place = {letter: parts[index] for index, letter in enumerate(each)}
        if len(place["y"]) == _YEAR_DIGITS and len(place["m"]) < 3 and len(place["d"]) < 3:
            yield _date(place["y"], place["m"], place["d"])


def _date(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def _only(source: str, found: set[date]) -> Reading:
    if len(found) == 1:
        [day] = found
        return Reading(source, day, day.isoformat())
    listed = " or ".join(sorted(day.isoformat() for day in found))
    return unreadable(source, f"may be {listed}; declare the order" if found else "there is no such day")
